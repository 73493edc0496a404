package fabric

import (
	"errors"

	"fabricast/internal/offheap"
	"fabricast/internal/snapshot"
)

// On an I/O bus that several NICs share, each NIC's transfers depend on those of the others. They
// cannot be computed ahead. Each transfer begins by a timer of the host; there is one timer for
// each direction. A NIC asks for the bus with one packet at a time, and only once the time of its
// request is known.

// direction is the direction of a transfer over an I/O bus.
type direction uint8

const (
	toMemory   direction = iota // moves; their timers are before those of the hosts
	fromMemory                  // fetches; after them
	directions
)

// ioBuses is a block's part of the shared I/O buses.
type ioBuses struct {
	busState
	*layout
	routers  array[routerState]
	events   *eventWheel
	send     *nicSenders
	receive  *nicReceivers
	giveBack func(*creditMail) // to the router of a NIC
	arrivals []arrival         // [0] is none
	free     uint32            // the one given back last, which links to the one before; 0 = none
}

// busState is the mutable state of all shared buses.
type busState struct {
	rate  rate
	buses array[[directions]ioBus] // by host
	nics  array[dock]
}

// ioBus is one direction of a host's I/O bus.
type ioBus struct {
	end  int64  // ps: of the last transfer
	part uint64 // fraction of a ps, see rate
}

// dock holds a NIC's transfers that wait for its bus.
type dock struct {
	asks [directions]int64 // ps: since when it asks for it; Forever if it does not
	// queue of the packets that have arrived and wait for the bus, see ioBuses.arrivals; 0 = none
	first, last uint32
}

// arrival is a packet that has started toward a NIC and has not crossed the bus yet.
type arrival struct {
	tail  int64 // ps: when its tail is there
	msg   MsgID
	next  uint32
	flits uint16 // see packet.flits
	vc    uint16
}

// newBusState returns the state of the buses; nil if none is shared.
func newBusState(a *offheap.Arena, l *layout, s *state) (*busState, error) {
	if !sharesBus(&l.spec) {
		return nil, nil
	}
	b := &busState{rate: newRate(int64(l.spec.IOBus.Bandwidth))}
	if err := errors.Join(
		b.buses.reserve(a, l.spec.Graph.Hosts), b.nics.reserve(a, len(l.spec.Graph.NICPort)),
	); err != nil {
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

// forecastBuses returns how much memory (bytes) the buses take, if all receive buffers are full of
// packets that wait for the bus.
func forecastBuses(s *Spec) int64 {
	if !sharesBus(s) {
		return 0
	}
	packets := int64(s.Router.Buffer) / max(1, s.Packet.Wire(s.Packet.Payload())) * int64(s.Router.VCs)
	return int64(s.Graph.Hosts)*(sizeOf[[directions]ioBus]()+int64(directions)*sizeOf[int64]()) +
		int64(len(s.Graph.NICPort))*(sizeOf[dock]()+packets*sizeOf[arrival]())
}

// timer returns the timer number of a host's bus in one direction.
func (u *ioBuses) timer(r *routerState, host uint32, d direction) uint32 {
	return host - u.firstHost(r) + uint32(d)*2*uint32(r.nHosts)
}

// busTurn starts the next transfer of a bus, if the timer is that of a bus. It reports whether it
// is.
func (b *nics) busTurn(r *routerState, timer uint32) bool {
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

// take transfers the packet of the NIC that has asked for the bus first, and further packets while
// they have no payload.
func (b *nics) take(r *routerState, host uint32, d direction) {
	for b.bus.buses.at(host)[d].end <= b.events.now {
		id, at := b.bus.firstToAsk(host, d)
		if at > b.events.now {
			break
		}
		b.bus.nics.at(id).asks[d] = Forever
		if d == toMemory {
			b.takeToMemory(host, id)
		} else {
			b.takeFromMemory(host, id)
		}
	}
	if _, at := b.bus.firstToAsk(host, d); at != Forever {
		b.bus.set(r, host, d, at)
	}
}

// ask records that a NIC asks for its bus from the time `at` (ps) on.
func (u *ioBuses) ask(nic uint32, d direction, at int64) {
	u.nics.at(nic).asks[d] = at
	host := nic / uint32(u.spec.Graph.NICsPerHost)
	u.set(u.routers.at(u.layout.hosts[host]), host, d, at)
}

// set sets the timer of a bus for a request at the time `at` (ps), unless it is due earlier.
func (u *ioBuses) set(r *routerState, host uint32, d direction, at int64) {
	timer := u.timer(r, host, d)
	if start := max(at, u.buses.at(host)[d].end); start < *u.events.timers.at(r.timers + timer) {
		u.events.setAgain(r, timer, start)
	}
}

// firstToAsk returns the NIC of a host that has asked for the bus first, and when (ps). Of equals
// it returns the NIC with the lowest number; at is Forever if none asks.
func (u *ioBuses) firstToAsk(host uint32, d direction) (nic uint32, at int64) {
	nics := uint32(u.spec.Graph.NICsPerHost)
	at = Forever
	for i := host * nics; i < (host+1)*nics; i++ {
		if asks := u.nics.at(i).asks[d]; asks < at {
			nic, at = i, asks
		}
	}
	return nic, at
}

// cross transfers so many bytes over the bus of a NIC now, and returns when the transfer ends (ps).
func (u *ioBuses) cross(nic int32, d direction, bytes int64) int64 {
	bus := &u.buses.at(uint32(nic) / uint32(u.spec.Graph.NICsPerHost))[d]
	if bus.end != u.events.now {
		bus.part = 0
	}
	took, left := u.rate.duration(bytes, bus.part)
	bus.end, bus.part = u.events.now+took, left
	return bus.end
}

// askToFetch makes a NIC ask for the bus with its next packet, if it is known when there will be
// room for it: packet k may follow when packet k-2 has left.
func (u *ioBuses) askToFetch(id uint32, n *nic) {
	if n.fetching == 0 || n.fetched == 2 || u.nics.at(id).asks[fromMemory] != Forever {
		return
	}
	if u.send.turns != nil {
		u.askedFor(id, n)
	}
	room := n.prevTail
	if n.fetched == 1 {
		room = n.lastTail
	}
	u.ask(id, fromMemory, max(n.dmaEnd, room))
}

// takeFromMemory begins the next transfer of a NIC from memory.
func (b *nics) takeFromMemory(host, id uint32) {
	n := b.send.nics.at(id)
	bytes := min(n.fetchLeft, b.payload)
	if n.dmaEnd != b.events.now {
		n.dmaPart = 0
	}
	var took int64
	took, n.dmaPart = b.dma.duration(bytes, n.dmaPart)
	n.dmaEnd = max(b.events.now+took, b.bus.cross(int32(id), fromMemory, bytes))
	if b.send.turns != nil {
		b.takeTurnFromMemory(host, id, n)
		return
	}
	n.ready[n.fetched&1] = n.dmaEnd
	if n.fetched++; n.fetched == 1 {
		b.send.armNIC(int32(id), n.next())
	}
	end, m := n.dmaEnd, b.messages.at(MsgID(n.fetching))
	n.fetchLeft -= bytes
	all := n.fetchLeft == 0
	if all {
		b.send.fetchNext(n, m)
	}
	b.bus.askToFetch(id, n)
	if all {
		b.endpoint.Fetched(int32(host), m.Request, end)
	}
}

// askToMove makes a NIC ask for the bus with a packet that has started toward it. The request
// begins when the packet's tail has arrived and the packets before it have been transferred.
func (u *ioBuses) askToMove(id uint32, a arrival) {
	place := u.keep(a)
	dock := u.nics.at(id)
	if dock.first != 0 {
		u.arrivals[dock.last].next = place
		dock.last = place
		return
	}
	dock.first, dock.last = place, place
	u.ask(id, toMemory, max(a.tail, u.receive.nics.at(id).end))
}

// takeToMemory begins the next transfer of a NIC to memory.
func (b *nics) takeToMemory(host, id uint32) {
	dock := b.bus.nics.at(id)
	a := b.bus.give(dock)
	crossed := b.bus.cross(int32(id), toMemory, b.receive.payloadOf(b.messages.at(a.msg), a.flits))
	through, all := b.receive.move(int32(id), a.msg, a.flits, b.events.now)
	end := max(through, crossed)
	b.receive.nics.at(id).end = end
	b.counters.arriveSum += end - through
	if dock.first != 0 {
		b.bus.ask(id, toMemory, max(b.bus.arrivals[dock.first].tail, end))
	}
	port := uint32(b.spec.Graph.NICPort[id])
	credit := end + b.classes.at(uint32(b.spec.Graph.Ports[port].Link)).credit
	b.bus.giveBack(
		&creditMail{
			at:     credit,
			router: b.hosts[host],
			lane:   port*b.vcs + uint32(a.vc),
			flits:  a.flits & flitMask,
		},
	)
	if all {
		b.endpoint.Delivered(int32(host), a.msg, end+b.busLatency)
	}
}

// keep stores an arrival, and returns its index.
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

// give removes and returns the first arrival of a NIC.
func (i *ioBuses) give(d *dock) arrival {
	place := d.first
	a := i.arrivals[place]
	d.first = a.next
	i.arrivals[place].next = i.free
	i.free = place
	return a
}

// takeOver moves the packets that wait at a NIC here from another block's buses.
func (i *ioBuses) takeOver(nic uint32, from *ioBuses) {
	d := i.nics.at(nic)
	was := *d
	d.first, d.last = 0, 0
	for was.first != 0 {
		i.append(d, from.give(&was))
	}
}

// append appends a packet to those that wait at a NIC.
func (i *ioBuses) append(d *dock, a arrival) {
	a.next = 0
	place := i.keep(a)
	if d.first == 0 {
		d.first = place
	} else {
		i.arrivals[d.last].next = place
	}
	d.last = place
}

// docked returns the number of packets of a virtual channel that wait at a NIC for the bus, and the
// sum of their flits.
func (u *ioBuses) docked(nic, vc uint32) (packets uint64, flits int64) {
	if u == nil {
		return 0, 0
	}
	for i := u.nics.at(nic).first; i != 0; i = u.arrivals[i].next {
		if a := &u.arrivals[i]; uint32(a.vc) == vc {
			packets++
			flits += int64(a.flits & flitMask)
		}
	}
	return packets, flits
}

// verifyBuses checks that NICs ask for their buses if and only if they have a packet to transfer.
func (s *nicState) verifyBuses() error {
	if s.buses == nil {
		return nil
	}
	for i := range s.buses.nics.n {
		d, u := s.buses.nics.at(i), s.nics.at(i)
		if asks := d.asks[toMemory] != Forever; asks != (d.first != 0) {
			return broken(
				"NIC %d asks for the I/O bus to memory: %v, first packet there: place %d",
				i, asks, d.first,
			)
		}
		if asks := d.asks[fromMemory] != Forever; asks != (u.fetching != 0 && u.fetched < 2) {
			return broken(
				"NIC %d asks for the I/O bus from memory: %v, message %d, packets that it has: %d",
				i, asks, u.fetching, u.fetched,
			)
		}
	}
	return nil
}

// queue goes over the packets that wait at a NIC for its I/O bus.
func (i *ioBuses) queue(v *snapshot.Visitor, nic uint32) {
	var list []arrival
	d := i.nics.at(nic)
	if !v.Restores() {
		for was := *d; was.first != 0; {
			list = append(list, i.give(&was))
		}
	}
	snapshot.List(v, &list)
	d.first, d.last = 0, 0
	if v.Restores() {
		for _, a := range list {
			i.append(d, a)
		}
	}
}
