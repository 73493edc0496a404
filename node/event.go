package node

import (
	"unsafe"

	"fabricast/fabric"
	"fabricast/internal/invariants"
	"fabricast/internal/prefetch"
)

// eventKind orders the events of one host at one instant. Arrivals from the network have no kind;
// they come first.
type eventKind uint8

const (
	// a message of the rank to itself, or to another of its host, is in memory
	localArrival eventKind = iota
	// a one-sided operation on the memory of the same host takes effect
	localAccess
	cleared // a rendezvous has been asked for and its receive posted
	recheck // look again whether the rank may go on
	// a receive is complete that met its message before, and that its rank waits for, see meetEarly
	foreseen
)

// event is something that will happen at a host at a known time.
type event struct {
	next uint32 // the host's next event
	// the unexpected entry of a localArrival, the message of a localAccess, the request of cleared, the
	// receive that was foreseen
	ref  uint32
	at   int64 // ps
	kind eventKind
	// order, for cleared, is the number of its receive in the order of posting (wraps around).
	order uint32
}

// before reports whether e comes before f, by time and kind; effects of one rank on another are one
// kind. Rendezvous are cleared in the order in which their receives were posted, however far ahead
// of the host's time.
func (e *event) before(f *event) bool {
	if e.at != f.at {
		return e.at < f.at
	}
	if e.kind == cleared && f.kind == cleared {
		return int32(e.order-f.order) < 0
	}
	return max(e.kind, localAccess) < max(f.kind, localAccess)
}

// add adds an event to the rank's list, behind its equals.
func (s *schedule) add(r *rank, e event) {
	id, place := s.events.alloc()
	*place = e
	switch {
	case r.events == 0:
		r.events, r.lastEvent = id, id
	case !place.before(s.events.at(r.lastEvent)):
		s.events.at(r.lastEvent).next = id
		r.lastEvent = id
	default:
		s.insert(r, id, place)
	}
	if r.events == id {
		s.setTimer(r)
	}
}

// insert links an event into the list before the first one that it
// precedes; there is one.
func (s *schedule) insert(r *rank, id uint32, e *event) {
	at := &r.events
	for !e.before(s.events.at(*at)) {
		at = &s.events.at(*at).next
	}
	e.next = *at
	*at = id
}

// first returns the time of the rank's first event (ps).
func (s *schedule) first(r *rank) int64 {
	if r.events == 0 {
		return fabric.Forever
	}
	return s.events.at(r.events).at
}

// take removes and returns the rank's first event.
func (s *schedule) take(r *rank) event {
	id := r.events
	e := *s.events.at(id)
	s.events.release(id)
	r.events = e.next
	if r.events == 0 {
		r.lastEvent = 0
	}
	return e
}

// expect adds a message that will be in memory at the time `at` (ps) to the rank's list of
// arrivals: behind those of an earlier time, and those of the same time with the same or a lower
// NIC.
//
// The endpoint owns the message by now, so the message serves as its own event. The arrival time
// replaces the time of posting, and the list uses the link of the NIC's queue.
func (s *schedule) expect(r *rank, id uint32, at int64) {
	m := s.transport.Message(fabric.MsgID(id))
	m.Post, m.Next = at, 0
	switch {
	case r.arrivals == 0:
		r.arrivals, r.lastArrival = id, id
	case s.inOrder || !s.arrivesBefore(m, r.lastArrival): // the last one may have left the cache
		if invariants.Enabled && s.arrivesBefore(m, r.lastArrival) {
			panic("a NIC has announced messages out of order")
		}
		s.transport.Message(fabric.MsgID(r.lastArrival)).Next = id
		r.lastArrival = id
		return
	default:
		s.insertArrival(r, id, m)
	}
	if r.arrivals == id {
		r.arrivesAt = at
		s.setTimer(r)
	}
}

// arrivesBefore reports whether m comes before another arrival, by time and then NIC.
func (s *schedule) arrivesBefore(m *fabric.Message, other uint32) bool {
	o := s.transport.Message(fabric.MsgID(other))
	if m.Post != o.Post {
		return m.Post < o.Post
	}
	nics := int32(s.world.spec.NICsPerHost)
	return m.Dst%nics < o.Dst%nics
}

// insertArrival links a message into the list before the first one that it
// precedes; there is one.
func (s *schedule) insertArrival(r *rank, id uint32, m *fabric.Message) {
	at := &r.arrivals
	for !s.arrivesBefore(m, *at) {
		at = &s.transport.Message(fabric.MsgID(*at)).Next
	}
	m.Next = *at
	*at = id
}

// takeArrival removes and returns the first message from the network. It prefetches the third one, as
// the second one is at hand.
func (s *schedule) takeArrival(r *rank) (fabric.MsgID, *fabric.Message) {
	id := fabric.MsgID(r.arrivals)
	m := s.transport.Message(id)
	r.arrivals = m.Next
	if r.arrivals == 0 {
		r.lastArrival = 0
	} else {
		next := s.transport.Message(fabric.MsgID(r.arrivals))
		r.arrivesAt = arrival(next)
		if next.Next != 0 {
			prefetch.Line(unsafe.Pointer(s.transport.Message(fabric.MsgID(next.Next))))
		}
	}
	return id, m
}
