package nic

import (
	"errors"

	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"

	"fabricast/internal/offheap"
	"fabricast/internal/snapshot"
)

// On an I/O bus that several NICs share, each NIC's transfers depend on those of the others, so
// they cannot be computed in advance. Each transfer starts by a timer of the host, which has one
// timer per direction. A NIC requests the bus for one packet at a time, and only once the time of
// the request is known.

// direction is the direction of a transfer over an I/O bus.
type direction uint8

const (
	toMemory   direction = iota // moves; these timers precede those of the hosts
	fromMemory                  // fetches; these timers follow those of the hosts
	directions
)

// IOBuses holds the shared I/O buses of a block's hosts.
type IOBuses struct {
	busState
	*core.Layout
	routers  core.Array[core.Router]
	events   *core.EventWheel
	send     *Senders
	receive  *Receivers
	giveBack func(*core.CreditMail) // to the router of a NIC
	arrivals []Arrival              // [0] is none
	free     uint32                 // the one given back last, which links to the one before; 0 = none
	list     []Arrival              // a buffer
}

// busState is the mutable state of all shared buses.
type busState struct {
	rate  core.Rate
	Buses core.Array[[directions]ioBus] // by host
	Docks core.Array[dock]
}

// ioBus is one direction of a host's I/O bus.
type ioBus struct {
	end  int64  // end of the last transfer (ps)
	part uint64 // fraction of a ps left by the last transfer, see core.Rate
}

// dock holds a NIC's transfers that wait for its bus.
type dock struct {
	asks [directions]int64 // time of its current request (ps); Forever if there is none
	// queue of the packets that have arrived and wait for the bus (indices of IOBuses.arrivals; 0:
	// none)
	first, last uint32
}

// Arrival is a packet that has started toward a NIC and has not crossed the bus yet.
type Arrival struct {
	Tail  int64 // when the packet's tail arrives (ps)
	Msg   model.MsgID
	next  uint32
	Flits uint16 // size and flag of the packet, see core.Packet.Flits
	VC    uint16
}

// newBusState returns the state of the buses, or nil if none is shared.
func newBusState(a *offheap.Arena, l *core.Layout, s *core.State) (*busState, error) {
	if !core.SharesBus(&l.Spec) {
		return nil, nil
	}
	b := &busState{rate: core.NewRate(int64(l.Spec.IOBus.Bandwidth))}
	if err := errors.Join(
		b.Buses.Reserve(a, l.Spec.Graph.Hosts), b.Docks.Reserve(a, len(l.Spec.Graph.NICPort)),
	); err != nil {
		return nil, err
	}
	for i := range b.Docks.N {
		b.Docks.At(i).asks = [directions]int64{model.Forever, model.Forever}
	}
	for i := range s.Timers.N {
		*s.Timers.At(i) = model.Forever
	}
	return b, nil
}

// ForecastBuses returns the memory (bytes) that the buses need when all receive buffers are full of
// packets that wait for the bus.
func ForecastBuses(s *model.Spec) int64 {
	if !core.SharesBus(s) {
		return 0
	}
	packets := int64(s.Router.Buffer) / max(1, s.Packet.Wire(s.Packet.Payload())) * int64(s.Router.VCs)
	return int64(s.Graph.Hosts)*(core.SizeOf[[directions]ioBus]()+int64(directions)*core.SizeOf[int64]()) +
		int64(len(s.Graph.NICPort))*(core.SizeOf[dock]()+packets*core.SizeOf[Arrival]())
}

// timer returns the timer of a host's bus in one direction.
func (u *IOBuses) timer(r *core.Router, host uint32, d direction) uint32 {
	return host - u.FirstHost(r) + uint32(d)*2*uint32(r.NumHosts)
}

// busTurn starts the next transfer of a bus, if the timer belongs to a bus. It reports whether it
// does.
func (b *NICs) busTurn(r *core.Router, timer uint32) bool {
	hosts := uint32(r.NumHosts)
	host := b.FirstHost(r) + timer%hosts
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

// take transfers the packet of the NIC that requested the bus first, and further packets while they
// have no payload.
func (b *NICs) take(r *core.Router, host uint32, d direction) {
	for b.Bus.Buses.At(host)[d].end <= b.Events.Now {
		id, at := b.Bus.firstToAsk(host, d)
		if at > b.Events.Now {
			break
		}
		b.Bus.Docks.At(id).asks[d] = model.Forever
		if d == toMemory {
			b.takeToMemory(host, id)
		} else {
			b.takeFromMemory(host, id)
		}
	}
	if _, at := b.Bus.firstToAsk(host, d); at != model.Forever {
		b.Bus.set(r, host, d, at)
	}
}

// ask records that a NIC requests its bus from the time `at` (ps) on.
func (u *IOBuses) ask(nic uint32, d direction, at int64) {
	u.Docks.At(nic).asks[d] = at
	host := nic / uint32(u.Spec.Graph.NICsPerHost)
	u.set(u.routers.At(u.Layout.Hosts[host]), host, d, at)
}

// set sets the timer of a bus for a request at the time `at` (ps), unless it is due earlier.
func (u *IOBuses) set(r *core.Router, host uint32, d direction, at int64) {
	timer := u.timer(r, host, d)
	if start := max(at, u.Buses.At(host)[d].end); start < *u.events.Timers.At(r.Timers + timer) {
		u.events.SetAgain(r, timer, start)
	}
}

// firstToAsk returns the NIC of a host with the earliest request for the bus, and the time of that
// request (ps). Ties go to the NIC with the lowest ID. at is Forever if there is no request.
func (u *IOBuses) firstToAsk(host uint32, d direction) (nic uint32, at int64) {
	nics := uint32(u.Spec.Graph.NICsPerHost)
	at = model.Forever
	for i := host * nics; i < (host+1)*nics; i++ {
		if asks := u.Docks.At(i).asks[d]; asks < at {
			nic, at = i, asks
		}
	}
	return nic, at
}

// cross transfers the given number of bytes over the bus of a NIC now, and returns the end of the
// transfer (ps).
func (u *IOBuses) cross(nic int32, d direction, bytes int64) int64 {
	bus := &u.Buses.At(uint32(nic) / uint32(u.Spec.Graph.NICsPerHost))[d]
	if bus.end != u.events.Now {
		bus.part = 0
	}
	took, left := u.rate.Duration(bytes, bus.part)
	bus.end, bus.part = u.events.Now+took, left
	return bus.end
}

// askToFetch makes a NIC request the bus for its next packet, if it is known when the NIC will have
// space for it: packet k may follow when packet k-2 has left.
func (u *IOBuses) askToFetch(id uint32, n *Sender) {
	if n.Fetching == 0 || n.Fetched == 2 || u.Docks.At(id).asks[fromMemory] != model.Forever {
		return
	}
	if u.send.Turns != nil {
		u.askedFor(id, n)
	}
	room := n.PrevTail
	if n.Fetched == 1 {
		room = n.LastTail
	}
	u.ask(id, fromMemory, max(n.DmaEnd, room))
}

// takeFromMemory starts the next transfer of a NIC from memory.
func (b *NICs) takeFromMemory(host, id uint32) {
	n := b.Send.NICs.At(id)
	bytes := min(n.FetchLeft, b.Payload)
	if n.DmaEnd != b.Events.Now {
		n.dmaPart = 0
	}
	var took int64
	took, n.dmaPart = b.DMA.Duration(bytes, n.dmaPart)
	n.DmaEnd = max(b.Events.Now+took, b.Bus.cross(int32(id), fromMemory, bytes))
	if b.Send.Turns != nil {
		b.takeTurnFromMemory(host, id, n)
		return
	}
	n.Ready[n.Fetched&1] = n.DmaEnd
	if n.Fetched++; n.Fetched == 1 {
		b.Send.armNIC(int32(id), n.Next())
	}
	end, m := n.DmaEnd, b.Messages.At(model.MsgID(n.Fetching))
	n.FetchLeft -= bytes
	all := n.FetchLeft == 0
	if all {
		b.Send.fetchNext(n, m)
	}
	b.Bus.askToFetch(id, n)
	if all {
		b.Endpoint.Fetched(int32(host), m.Request, end)
	}
}

// AskToMove makes a NIC request the bus for a packet that has started toward it. The request starts
// when the packet's tail has arrived and the packets before it have been transferred.
func (u *IOBuses) AskToMove(id uint32, a Arrival) {
	place := u.keep(a)
	dock := u.Docks.At(id)
	if dock.first != 0 {
		u.arrivals[dock.last].next = place
		dock.last = place
		return
	}
	dock.first, dock.last = place, place
	u.ask(id, toMemory, max(a.Tail, u.receive.NICs.At(id).end))
}

// takeToMemory starts the next transfer of a NIC to memory.
func (b *NICs) takeToMemory(host, id uint32) {
	dock := b.Bus.Docks.At(id)
	a := b.Bus.give(dock)
	crossed := b.Bus.cross(int32(id), toMemory, b.Receive.PayloadOf(b.Messages.At(a.Msg), a.Flits))
	b.Receive.Via = uint32(a.VC)
	through, all := b.Receive.Move(int32(id), a.Msg, a.Flits, b.Events.Now)
	end := max(through, crossed)
	b.Receive.NICs.At(id).end = end
	b.Counters.ArriveSum += end - through
	if b.Receive.sink != nil {
		b.Receive.divide(int32(id), a.Msg, b.Messages.At(a.Msg), a.Flits, a.Tail, b.Events.Now, end)
	}
	if dock.first != 0 {
		b.Bus.ask(id, toMemory, max(b.Bus.arrivals[dock.first].Tail, end))
	}
	port := uint32(b.Spec.Graph.NICPort[id])
	credit := end + b.Classes.At(uint32(b.Spec.Graph.Ports[port].Link)).Credit
	b.Bus.giveBack(
		&core.CreditMail{
			At:     credit,
			Router: b.Hosts[host],
			VC:     port*b.NumVCs + uint32(a.VC),
			Flits:  a.Flits & core.FlitMask,
		},
	)
	if all {
		b.Endpoint.Delivered(int32(host), a.Msg, end+b.BusLatency)
	}
}

// keep stores an arrival, and returns its index.
func (i *IOBuses) keep(a Arrival) uint32 {
	place := i.free
	if place == 0 {
		if len(i.arrivals) == 0 {
			i.arrivals = append(i.arrivals, Arrival{})
		}
		i.arrivals = append(i.arrivals, a)
		return uint32(len(i.arrivals) - 1)
	}
	i.free = i.arrivals[place].next
	i.arrivals[place] = a
	return place
}

// give removes and returns the first arrival of a NIC.
func (i *IOBuses) give(d *dock) Arrival {
	place := d.first
	a := i.arrivals[place]
	d.first = a.next
	i.arrivals[place].next = i.free
	i.free = place
	return a
}

// append appends a packet to those that wait at a NIC.
func (i *IOBuses) append(d *dock, a Arrival) {
	a.next = 0
	place := i.keep(a)
	if d.first == 0 {
		d.first = place
	} else {
		i.arrivals[d.last].next = place
	}
	d.last = place
}

// Docked returns the number of packets of a virtual channel that wait at a NIC for the bus, and
// their total size in flits.
func (u *IOBuses) Docked(nic, vc uint32) (packets uint64, flits int64) {
	if u == nil {
		return 0, 0
	}
	for i := u.Docks.At(nic).first; i != 0; i = u.arrivals[i].next {
		if a := &u.arrivals[i]; uint32(a.VC) == vc {
			packets++
			flits += int64(a.Flits & core.FlitMask)
		}
	}
	return packets, flits
}

// VerifyBuses checks that NICs request their buses if and only if they have a packet to transfer.
func (s *State) VerifyBuses() error {
	if s.Buses == nil {
		return nil
	}
	for i := range s.Buses.Docks.N {
		d, u := s.Buses.Docks.At(i), s.Senders.At(i)
		if asks := d.asks[toMemory] != model.Forever; asks != (d.first != 0) {
			return model.Breach(
				"NIC %d asks for the I/O bus to memory: %v, first packet there: place %d",
				i, asks, d.first,
			)
		}
		if asks := d.asks[fromMemory] != model.Forever; asks != (u.Fetching != 0 && u.Fetched < 2) {
			return model.Breach(
				"NIC %d asks for the I/O bus from memory: %v, message %d, packets that it has: %d",
				i, asks, u.Fetching, u.Fetched,
			)
		}
	}
	return nil
}

// state goes over the requests of a NIC for its I/O bus, with the packets that wait there.
func (i *IOBuses) state(v *snapshot.Visitor, d *dock) {
	snapshot.Value(v, &d.asks)
	i.list = i.list[:0]
	for place := d.first; place != 0; place = i.arrivals[place].next {
		a := i.arrivals[place]
		a.next = 0
		i.list = append(i.list, a)
	}
	if snapshot.List(v, &i.list); v.Restores() {
		i.drop(d)
		for _, a := range i.list {
			i.append(d, a)
		}
	}
}

// drop gives back the packets that wait at a NIC.
func (i *IOBuses) drop(d *dock) {
	for d.first != 0 {
		i.give(d)
	}
	d.last = 0
}
