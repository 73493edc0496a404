package schedule

import (
	"unsafe"

	"fabricast/node/internal/core"

	"fabricast/fabric"
	"fabricast/internal/invariants"
	"fabricast/internal/prefetch"
)

// eventKind orders the simultaneous events of one host. Arrivals from the network have no kind;
// they come first.
type eventKind uint8

const (
	// LocalArrival: a message of the rank to itself, or to another rank of its host, is in memory.
	LocalArrival eventKind = iota
	// LocalAccess: a one-sided operation on the memory of the same host takes effect.
	LocalAccess
	Cleared // a rendezvous request has matched a posted receive
	Recheck // check again whether the rank can continue
	// Foreseen: a receive completes that has been matched ahead of time and that its rank waits
	// for, see meetEarly.
	Foreseen
)

// Event is a future event of a host.
type Event struct {
	next uint32 // the host's next event
	// Ref is the unexpected message of a LocalArrival, the message of a LocalAccess, the request of
	// a Cleared, or the receive of a Foreseen.
	Ref  uint32
	At   int64 // ps
	Kind eventKind
	// Order, for Cleared, is the index of the receive in the order of posting (wraps around).
	Order uint32
}

// before reports whether e comes before f, by time and kind; effects of one rank on another are one
// kind. Rendezvous are cleared in the order in which their receives were posted, even if these were
// posted ahead of the host's time.
func (e *Event) before(f *Event) bool {
	if e.At != f.At {
		return e.At < f.At
	}
	if e.Kind == Cleared && f.Kind == Cleared {
		return int32(e.Order-f.Order) < 0
	}
	return max(e.Kind, LocalAccess) < max(f.Kind, LocalAccess)
}

// Add adds an event to the rank's list, after all equal events.
func (s *Schedule) Add(r *core.Rank, e Event) {
	id, place := s.Events.Alloc()
	*place = e
	switch {
	case r.Events == 0:
		r.Events, r.LastEvent = id, id
	case !place.before(s.Events.At(r.LastEvent)):
		s.Events.At(r.LastEvent).next = id
		r.LastEvent = id
	default:
		s.insert(r, id, place)
	}
	if r.Events == id {
		s.setTimer(r)
	}
}

// insert inserts an event into the list before the first event that it precedes. There must be such
// an event.
func (s *Schedule) insert(r *core.Rank, id uint32, e *Event) {
	at := &r.Events
	for !e.before(s.Events.At(*at)) {
		at = &s.Events.At(*at).next
	}
	e.next = *at
	*at = id
}

// First returns the time (ps) of the rank's first event.
func (s *Schedule) First(r *core.Rank) int64 {
	if r.Events == 0 {
		return fabric.Forever
	}
	return s.Events.At(r.Events).At
}

// Take removes and returns the rank's first event.
func (s *Schedule) Take(r *core.Rank) Event {
	id := r.Events
	e := *s.Events.At(id)
	s.Events.Release(id)
	r.Events = e.next
	if r.Events == 0 {
		r.LastEvent = 0
	}
	return e
}

// Expect adds a message that will be in memory at time `at` (ps) to the rank's list of arrivals:
// after those with an earlier time, and those with the same time and the same or a lower NIC.
//
// The endpoint already owns the message, so the message serves as its own event. The arrival time
// replaces the time of posting, and the list uses the link of the NIC's queue.
func (s *Schedule) Expect(r *core.Rank, id uint32, at int64) {
	m := s.Transport.Message(fabric.MsgID(id))
	m.Post, m.Next = at, 0
	switch {
	case r.Arrivals == 0:
		r.Arrivals, r.LastArrival = id, id
	// avoids access to the last message, which may not be in the cache
	case s.InOrder || !s.arrivesBefore(m, r.LastArrival):
		if invariants.Enabled && s.arrivesBefore(m, r.LastArrival) {
			panic("a NIC has announced messages out of order")
		}
		s.Transport.Message(fabric.MsgID(r.LastArrival)).Next = id
		r.LastArrival = id
		return
	default:
		s.insertArrival(r, id, m)
	}
	if r.Arrivals == id {
		r.ArrivesAt = at
		s.setTimer(r)
	}
}

// arrivesBefore reports whether m comes before another arrival, by time and then by NIC.
func (s *Schedule) arrivesBefore(m *fabric.Message, other uint32) bool {
	o := s.Transport.Message(fabric.MsgID(other))
	if m.Post != o.Post {
		return m.Post < o.Post
	}
	nics := int32(s.World.Spec.NICsPerHost)
	return m.Dst%nics < o.Dst%nics
}

// insertArrival inserts a message into the list before the first message that it precedes. There
// must be such a message.
func (s *Schedule) insertArrival(r *core.Rank, id uint32, m *fabric.Message) {
	at := &r.Arrivals
	for !s.arrivesBefore(m, *at) {
		at = &s.Transport.Message(fabric.MsgID(*at)).Next
	}
	m.Next = *at
	*at = id
}

// TakeArrival removes and returns the rank's first arrival from the network. It prefetches the
// third one; the second one has been prefetched before.
func (s *Schedule) TakeArrival(r *core.Rank) (fabric.MsgID, *fabric.Message) {
	id := fabric.MsgID(r.Arrivals)
	m := s.Transport.Message(id)
	r.Arrivals = m.Next
	if r.Arrivals == 0 {
		r.LastArrival = 0
	} else {
		next := s.Transport.Message(fabric.MsgID(r.Arrivals))
		r.ArrivesAt = core.Arrival(next)
		if next.Next != 0 {
			prefetch.Line(unsafe.Pointer(s.Transport.Message(fabric.MsgID(next.Next))))
		}
	}
	return id, m
}
