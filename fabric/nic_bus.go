package fabric

import (
	"errors"

	"fabricast/internal/offheap"
)

// A bus that NICs share makes what one of them does depend on the others: their fetches and
// moves can no longer be worked out ahead, and begin by timers of the host, one for each direction.
// A NIC asks for the bus with one packet at a time, and all that is known about when
// it does is known before.

// direction is one of the two ways over a bus.
type direction uint8

const (
	toMemory   direction = iota // moves; their timers are before those of the hosts
	fromMemory                  // fetches; after them
	directions
)

// ioBuses is a block's part of the I/O buses.
type ioBuses struct {
	busState
	arrivals []arrival // [0] is none
	free     uint32    // the one given back last, which links to the one before; 0 = none
}

// busState is the state of all buses.
type busState struct {
	rate  rate
	hosts array[[directions]ioBus]
	nics  array[dock]
}

// ioBus is one direction of the bus of a host.
type ioBus struct {
	end  int64  // ps: of the last transfer
	part uint64 // fraction of a ps, see rate
}

// dock is what a NIC has to do with its bus.
type dock struct {
	asks        [directions]int64 // ps: since when it asks for it; Forever if it does not
	first, last uint32            // the packets that have arrived and wait for it, see ioBuses.arrivals; 0 = none
}

// arrival is a packet that has started toward a NIC and has not crossed the bus.
type arrival struct {
	tail  int64 // ps: when its tail is there
	msg   MsgID
	next  uint32
	flits uint16 // see packet.flits
	vc    uint16
}

// sharesBus tells whether there are several NICs at an I/O bus. One alone is simulated like one without, at
// the lower of both rates.
func sharesBus(s *Spec) bool { return s.IOBus.Bandwidth > 0 && s.Graph.NICsPerHost > 1 }

// newBusState returns the state of the buses, nil if none is shared.
func newBusState(a *offheap.Arena, l *layout, s *state) (*busState, error) {
	if !sharesBus(&l.spec) {
		return nil, nil
	}
	b := &busState{rate: newRate(l.spec.IOBus.Bandwidth)}
	if err := errors.Join(b.hosts.reserve(a, l.spec.Graph.Hosts), b.nics.reserve(a, len(l.spec.Graph.NICPort))); err != nil {
		return nil, err
	}
	for i := range b.nics.n {
		b.nics.at(i).asks = [directions]int64{Forever, Forever}
	}
	for i := range s.timers.n {
		*s.timers.at(i) = Forever
	}
	return b, nil
}

// forecastBuses is how much memory the buses take, with all receive buffers full of packets
// that wait for them.
func forecastBuses(s *Spec) int64 {
	if !sharesBus(s) {
		return 0
	}
	packets := s.Router.Buffer / max(1, s.Packet.Wire(s.Packet.Payload())) * int64(s.Router.VCs)
	return int64(s.Graph.Hosts)*(sizeOf[[directions]ioBus]()+int64(directions)*sizeOf[int64]()) +
		int64(len(s.Graph.NICPort))*(sizeOf[dock]()+packets*sizeOf[arrival]())
}

// firstHost is the number of a router's first host.
func (l *layout) firstHost(r *routerState) uint32 { return r.hosts + uint32(r.wakes-r.nHosts)/2 }

// busTimer is the timer of a host's bus in one direction.
func (b *Block) busTimer(r *routerState, host uint32, d direction) uint32 {
	return host - b.firstHost(r) + uint32(d)*2*uint32(r.nHosts)
}

// busTurn lets a bus take the next packet if the timer is one of a bus.
func (b *Block) busTurn(r *routerState, timer uint32) bool {
	hosts := uint32(r.nHosts)
	host := b.firstHost(r) + timer%hosts
	switch timer / hosts {
	case 0:
		b.take(r, host, toMemory)
	case 2:
		b.take(r, host, fromMemory)
	default:
		return false
	}
	return true
}

// take lets a bus take the packet of the NIC that is first in turn, and more if that has no payload.
func (b *Block) take(r *routerState, host uint32, d direction) {
	for b.bus.hosts.at(host)[d].end <= b.now {
		id, at := b.firstToAsk(host, d)
		if at > b.now {
			break
		}
		b.bus.nics.at(id).asks[d] = Forever
		if d == toMemory {
			b.takeToMemory(host, id)
		} else {
			b.takeFromMemory(host, id)
		}
	}
	if _, at := b.firstToAsk(host, d); at != Forever {
		b.setBus(r, host, d, at)
	}
}

// askBus lets a NIC ask for its bus from a time on.
func (b *Block) askBus(nic uint32, d direction, at int64) {
	b.bus.nics.at(nic).asks[d] = at
	host := nic / uint32(b.spec.Graph.NICsPerHost)
	b.setBus(b.routers.at(b.hosts[host]), host, d, at)
}

// setBus sets the timer of a bus so that it takes, no later, what has been asked for at the time at.
func (b *Block) setBus(r *routerState, host uint32, d direction, at int64) {
	timer := b.busTimer(r, host, d)
	if start := max(at, b.bus.hosts.at(host)[d].end); start < *b.timers.at(r.timers + timer) {
		b.setAgain(r, timer, start)
	}
}

// firstToAsk is the NIC of a host that has asked for the bus first, of equals that with the lowest
// number, and since when; Forever if none asks.
func (b *Block) firstToAsk(host uint32, d direction) (nic uint32, at int64) {
	nics := uint32(b.spec.Graph.NICsPerHost)
	at = Forever
	for i := host * nics; i < (host+1)*nics; i++ {
		if asks := b.bus.nics.at(i).asks[d]; asks < at {
			nic, at = i, asks
		}
	}
	return nic, at
}

// cross takes so many bytes over the bus of a NIC now, and returns when it is through with them.
func (b *Block) cross(nic int32, d direction, bytes int64) int64 {
	bus := &b.bus.hosts.at(uint32(nic) / uint32(b.spec.Graph.NICsPerHost))[d]
	if bus.end != b.now {
		bus.part = 0
	}
	took, left := b.bus.rate.duration(bytes, bus.part)
	bus.end, bus.part = b.now+took, left
	return bus.end
}

// askToFetch lets a NIC ask for the bus with its next packet, if it is known when there
// will be room for that: packet k may follow when packet k-2 has left.
func (b *Block) askToFetch(id uint32, n *nic) {
	if n.fetching == 0 || n.fetched == 2 || b.bus.nics.at(id).asks[fromMemory] != Forever {
		return
	}
	room := n.prevTail
	if n.fetched == 1 {
		room = n.lastTail
	}
	b.askBus(id, fromMemory, max(n.dmaEnd, room))
}

// takeFromMemory begins the next fetch of a NIC.
func (b *Block) takeFromMemory(host, id uint32) {
	n := b.nics.at(id)
	bytes := min(n.fetchLeft, b.payload)
	if n.dmaEnd != b.now {
		n.dmaPart = 0
	}
	var took int64
	took, n.dmaPart = b.dma.duration(bytes, n.dmaPart)
	n.dmaEnd = max(b.now+took, b.cross(int32(id), fromMemory, bytes))
	n.ready[n.fetched&1] = n.dmaEnd
	if n.fetched++; n.fetched == 1 {
		b.armNIC(int32(id), n.next())
	}
	end, m := n.dmaEnd, b.Message(MsgID(n.fetching))
	n.fetchLeft -= bytes
	all := n.fetchLeft == 0
	if all {
		b.fetchNext(n, m)
	}
	b.askToFetch(id, n)
	if all {
		b.endpoint.Fetched(int32(host), m.Request, end)
	}
}

// askToMove lets a NIC ask for the bus with a packet that has started toward it, when
// its tail is there and those before it have been moved.
func (b *Block) askToMove(id uint32, a arrival) {
	place := b.bus.keep(a)
	dock := b.bus.nics.at(id)
	if dock.first != 0 {
		b.bus.arrivals[dock.last].next = place
		dock.last = place
		return
	}
	dock.first, dock.last = place, place
	b.askBus(id, toMemory, max(a.tail, b.nics.at(id).moveEnd))
}

// takeToMemory begins the next move of a NIC.
func (b *Block) takeToMemory(host, id uint32) {
	dock := b.bus.nics.at(id)
	a := b.bus.give(dock)
	crossed := b.cross(int32(id), toMemory, b.payloadOf(b.Message(a.msg), a.flits))
	through, all := b.move(int32(id), a.msg, a.flits, b.now)
	end := max(through, crossed)
	b.nics.at(id).moveEnd = end
	b.counters.arriveSum += end - through
	if dock.first != 0 {
		b.askBus(id, toMemory, max(b.bus.arrivals[dock.first].tail, end))
	}
	port := uint32(b.spec.Graph.NICPort[id])
	credit := end + b.classes.at(uint32(b.wiring.at(port).class)).credit
	b.takeCredit(&creditMail{at: credit, router: b.hosts[host], lane: port*b.vcs + uint32(a.vc), flits: a.flits & flitMask})
	if all {
		b.endpoint.Delivered(int32(host), a.msg, end+b.busLatency)
	}
}

// keep returns a place for an arrival.
func (i *ioBuses) keep(a arrival) uint32 {
	place := i.free
	if place == 0 {
		if len(i.arrivals) == 0 {
			i.arrivals = append(i.arrivals, arrival{})
		}
		i.arrivals = append(i.arrivals, a)
		return uint32(len(i.arrivals) - 1)
	}
	i.free = i.arrivals[place].next
	i.arrivals[place] = a
	return place
}

// give takes the first arrival of a NIC away.
func (i *ioBuses) give(d *dock) arrival {
	place := d.first
	a := i.arrivals[place]
	d.first = a.next
	i.arrivals[place].next = i.free
	i.free = place
	return a
}

// docked counts the packets of a virtual channel that wait at a NIC for the bus, and adds up their flits.
func (b *Block) docked(nic, vc uint32) (packets uint64, flits int64) {
	if b.bus == nil {
		return 0, 0
	}
	for i := b.bus.nics.at(nic).first; i != 0; i = b.bus.arrivals[i].next {
		if a := &b.bus.arrivals[i]; uint32(a.vc) == vc {
			packets++
			flits += int64(a.flits & flitMask)
		}
	}
	return packets, flits
}

// verifyBuses checks that NICs ask for their buses if and only if they have something for them.
func (n *Network) verifyBuses() error {
	if n.buses == nil {
		return nil
	}
	for i := range n.buses.nics.n {
		d, u := n.buses.nics.at(i), n.state.nics.at(i)
		if asks := d.asks[toMemory] != Forever; asks != (d.first != 0) {
			return broken("NIC %d asks for the I/O bus to memory: %v, first packet there: place %d", i, asks, d.first)
		}
		if asks := d.asks[fromMemory] != Forever; asks != (u.fetching != 0 && u.fetched < 2) {
			return broken("NIC %d asks for the I/O bus from memory: %v, message %d, packets that it has: %d", i, asks, u.fetching, u.fetched)
		}
	}
	return nil
}
