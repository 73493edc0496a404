package node

import "fabricast/fabric"

// eventKind orders the events of one host at one instant. Arrivals from the
// network are not among them and come first.
type eventKind uint8

const (
	localArrival eventKind = iota // a message of the rank to itself, or to another of its host, is in memory
	localAccess                   // a one-sided operation on the memory of the same host takes effect
	cleared                       // a rendezvous has been asked for and its receive posted
	recheck                       // look again whether the rank may go on
)

// event is something that will happen at a host.
type event struct {
	next uint32 // the host's next event
	ref  uint32 // the unexpected entry of a localArrival, the message of a localAccess, the request of cleared
	at   int64  // ps
	kind eventKind
}

// before is the order of events: time, kind, where what one rank does to another is of one kind.
func (e *event) before(f *event) bool {
	if e.at != f.at {
		return e.at < f.at
	}
	return max(e.kind, localAccess) < max(f.kind, localAccess)
}

// schedule adds an event to the rank's list, behind its equals.
func (b *Block) schedule(r *rank, e event) {
	id, place := b.events.alloc()
	*place = e
	switch {
	case r.events == 0:
		r.events, r.lastEvent = id, id
	case !place.before(b.events.at(r.lastEvent)):
		b.events.at(r.lastEvent).next = id
		r.lastEvent = id
	default:
		b.insertEvent(r, id, place)
	}
	if r.events == id {
		b.setTimer(r)
	}
}

// insertEvent links an event into the list before the first one that it
// precedes; there is one.
func (b *Block) insertEvent(r *rank, id uint32, e *event) {
	at := &r.events
	for !e.before(b.events.at(*at)) {
		at = &b.events.at(*at).next
	}
	e.next = *at
	*at = id
}

// eventAt is the time of the rank's first event.
func (b *Block) eventAt(r *rank) int64 {
	if r.events == 0 {
		return fabric.Forever
	}
	return b.events.at(r.events).at
}

// takeEvent removes and returns the rank's first event.
func (b *Block) takeEvent(r *rank) event {
	id := r.events
	e := *b.events.at(id)
	b.events.release(id)
	r.events = e.next
	if r.events == 0 {
		r.lastEvent = 0
	}
	return e
}

// expect adds a message that will be in memory at the time at (ps) to those that
// are coming to the rank: behind those of the same time, or of the same time and a lower NIC.
//
// The endpoint owns the message by now. So it is its own event: the time takes the
// place of the time of posting, and the list goes through what linked the NIC's queue.
func (b *Block) expect(r *rank, id uint32, at int64) {
	m := b.transport.Message(fabric.MsgID(id))
	m.Post, m.Next = at, 0
	switch {
	case r.arrivals == 0:
		r.arrivals, r.lastArrival = id, id
	case !b.arrivesBefore(m, r.lastArrival):
		b.transport.Message(fabric.MsgID(r.lastArrival)).Next = id
		r.lastArrival = id
		return
	default:
		b.insertArrival(r, id, m)
	}
	if r.arrivals == id {
		r.arrivesAt = at
		b.setTimer(r)
	}
}

// arrival is when a message that the endpoint owns is in memory, in ps.
func arrival(m *fabric.Message) int64 { return m.Post }

// arrivesBefore is the order of arrivals: time, NIC.
func (b *Block) arrivesBefore(m *fabric.Message, other uint32) bool {
	o := b.transport.Message(fabric.MsgID(other))
	if m.Post != o.Post {
		return m.Post < o.Post
	}
	nics := int32(b.world.spec.NICsPerHost)
	return m.Dst%nics < o.Dst%nics
}

// insertArrival links a message into the list before the first one that it
// precedes; there is one.
func (b *Block) insertArrival(r *rank, id uint32, m *fabric.Message) {
	at := &r.arrivals
	for !b.arrivesBefore(m, *at) {
		at = &b.transport.Message(fabric.MsgID(*at)).Next
	}
	m.Next = *at
	*at = id
}

// takeArrival removes and returns the first message that comes from the network.
func (b *Block) takeArrival(r *rank) (fabric.MsgID, *fabric.Message) {
	id := fabric.MsgID(r.arrivals)
	m := b.transport.Message(id)
	r.arrivals = m.Next
	if r.arrivals == 0 {
		r.lastArrival = 0
	} else {
		r.arrivesAt = arrival(b.transport.Message(fabric.MsgID(r.arrivals)))
	}
	return id, m
}

// setTimer asks for a wake when the host's next is due, unless that will be
// asked for when the present wake ends.
func (b *Block) setTimer(r *rank) {
	switch {
	case b.shared():
		b.refresh(r, b.slotOf(r))
		if b.waking != r.host {
			b.transport.SetTimer(r.host, b.hostDue(r.host))
		}
	case b.waking != r.host:
		b.transport.SetTimer(r.host, b.due(r))
	}
}

// due is the next instant at which a rank that has its host alone needs to be woken, in ps.
func (b *Block) due(r *rank) int64 {
	at := b.eventAt(r)
	if r.arrivals != 0 {
		at = min(at, r.arrivesAt)
	}
	if r.asksForPresent() {
		at = min(at, b.looksAgain(r))
	}
	return at
}
