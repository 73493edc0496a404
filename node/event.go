package node

import "fabricast/fabric"

// eventKind orders the events of one host at one instant.
type eventKind uint8

const (
	networkArrival eventKind = iota // a message is in memory
	selfArrival                     // a message of the rank to itself is
	recheck                         // look again whether the rank may go on
)

// event is something that will happen at a host.
type event struct {
	at   int64  // ps
	next uint32 // the host's next event
	ref  uint32 // the fabric.MsgID of a networkArrival, the unexpected entry of a selfArrival
	nic  uint16
	kind eventKind
}

// before is the order of events: time, kind, NIC.
func (e *event) before(f *event) bool {
	if e.at != f.at {
		return e.at < f.at
	}
	if e.kind != f.kind {
		return e.kind < f.kind
	}
	return e.nic < f.nic
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
	if r.events == id && b.waking != r {
		b.transport.SetTimer(r.host, b.due(r))
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

// due is the next instant at which the rank needs to be woken, in ps.
func (b *Block) due(r *rank) int64 {
	at := fabric.Forever
	if r.events != 0 {
		at = b.events.at(r.events).at
	}
	if r.asksForPresent() {
		at = min(at, r.clock+1)
	}
	return at
}

// takeDue removes and returns the rank's first event if its time has come.
func (b *Block) takeDue(r *rank, now int64) (event, bool) {
	id := r.events
	if id == 0 || b.events.at(id).at > now {
		return event{}, false
	}
	e := *b.events.at(id)
	b.events.release(id)
	r.events = e.next
	if r.events == 0 {
		r.lastEvent = 0
	}
	return e, true
}
