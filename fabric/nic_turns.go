package fabric

import (
	"fabricast/internal/offheap"
	"fabricast/internal/snapshot"
)

// With Spec.TakeTurns, NICs take turns among the messages posted to them, packet by packet, instead
// of sending one message after the other. With Spec.ControlFirst they send one after the other, but
// messages without payload first. The message of a packet is chosen as soon as the NIC has room for
// it. That is when the packet but one before it has been injected, or, if there is no
// message then, when the next one is posted.

// turns is a block's state for NICs that take turns, in addition to nic.
type turns struct {
	nics    array[rota]
	entries []entry // [0] is none
	free    uint32  // the one given back last, which links to the one before; 0 = none
	control bool    // Spec.ControlFirst
}

// entry is a message with packets left to choose.
type entry struct {
	left      int64 // payload bytes of the packets to come
	msg, next uint32
}

// rota holds a NIC's messages with packets left to choose, and the packets already chosen.
type rota struct {
	now, later queued    // those that are posted, in turn; those whose Post is to come
	control    queued    // with ControlFirst, those that are posted and have no payload
	asked      chosen    // the packet for which it asks for the I/O bus
	taken      [2]chosen // the packets that it has fetched
}

// queued is a FIFO of entries.
type queued struct{ first, last uint32 }

// chosen is a packet of a message, with the payload bytes left before it; message 0 is none.
type chosen struct {
	left int64
	msg  uint32
}

// newTurns returns a block's turns; nil if its NICs send one message after the other.
func newTurns(s *Spec, nics array[rota]) *turns {
	if nics.n == 0 {
		return nil
	}
	return &turns{nics: nics, entries: make([]entry, 1), control: s.ControlFirst}
}

// newRotas allocates a rota for each NIC, if NICs take turns.
func newRotas(a *offheap.Arena, s *Spec) (nics array[rota], err error) {
	if s.choosesPackets() {
		err = nics.reserve(a, len(s.Graph.NICPort))
	}
	return nics, err
}

// forecastTurns returns how much memory (bytes) turns take with one message at every NIC.
func forecastTurns(s *Spec) int64 {
	if !s.choosesPackets() {
		return 0
	}
	return int64(len(s.Graph.NICPort)) * (sizeOf[rota]() + sizeOf[entry]())
}

// add appends a message to a queue.
func (t *turns) add(q *queued, e entry) {
	place := t.free
	if place == 0 {
		t.entries = append(t.entries, entry{})
		place = uint32(len(t.entries) - 1)
	} else {
		t.free = t.entries[place].next
	}
	e.next = 0
	t.entries[place] = e
	t.append(q, place)
}

// append appends an entry to a queue.
func (t *turns) append(q *queued, place uint32) {
	if q.first == 0 {
		q.first = place
	} else {
		t.entries[q.last].next = place
	}
	q.last = place
}

// takeOver moves the entries of a queue here from another block's turns.
func (t *turns) takeOver(q *queued, from *turns) {
	place := q.first
	*q = queued{}
	for place != 0 {
		e := from.entries[place]
		from.entries[place].next, from.free = from.free, place
		place = e.next
		t.add(q, e)
	}
}

// take removes and returns the first entry of a queue.
func (t *turns) take(q *queued) uint32 {
	place := q.first
	e := &t.entries[place]
	q.first, e.next = e.next, 0
	return place
}

// prepend puts an entry at the front of a queue.
func (t *turns) prepend(q *queued, place uint32) {
	t.entries[place].next = q.first
	if q.first == 0 {
		q.last = place
	}
	q.first = place
}

// admit moves the first message of those to come to those that are posted.
func (t *turns) admit(r *rota) {
	place := t.take(&r.later)
	if t.control && t.entries[place].left == 0 {
		t.append(&r.control, place)
	} else {
		t.append(&r.now, place)
	}
}

// any returns a number other than 0 if a NIC has a message with packets left to choose.
func (r *rota) any() uint32 { return r.control.first | r.now.first | r.later.first }

// postTurn implements Post for NICs that take turns.
func (b *nics) postTurn(id MsgID, m *Message, n *nic) {
	m.Left, m.Next = b.send.packetsOf(m), 0
	b.ahead.under(id, m.Size)
	nic := uint32(m.Src)
	b.send.turns.add(&b.send.turns.nics.at(nic).later, entry{left: m.Size, msg: uint32(id)})
	if n.fetching != 0 { // there is no room
		return
	}
	n.fetching = uint32(id)
	if b.bus != nil {
		b.bus.askToFetch(nic, n)
		return
	}
	idle := n.fetched == 0
	b.send.fetchTurns(nic, n)
	if idle {
		b.send.armNIC(m.Src, n.next())
	}
}

// choose removes the next packet from the message whose turn it is, and makes it known to the NIC.
// There must be one.
func (s *nicSenders) choose(n *nic, r *rota) chosen {
	t := s.turns
	for q := &r.later; q.first != 0 && s.messages.at(MsgID(t.entries[q.first].msg)).Post <= s.events.now; {
		t.admit(r)
	}
	if r.control.first|r.now.first == 0 {
		t.admit(r)
	}
	from := &r.now
	if r.control.first != 0 {
		from = &r.control
	}
	place := t.take(from)
	e := &t.entries[place]
	c := chosen{e.left, e.msg}
	switch e.left -= s.payload; {
	case e.left <= 0:
		e.next, t.free = t.free, place
	case t.control:
		t.prepend(&r.now, place)
	default:
		t.append(&r.now, place)
	}
	n.fetching = 0
	if r.any() != 0 {
		n.fetching = c.msg // any but none
	}
	n.known(s.messages.at(MsgID(c.msg)).Post + s.busLatency)
	return c
}

// fetchTurns implements fetch for NICs that take turns.
func (s *nicSenders) fetchTurns(id uint32, n *nic) {
	for n.fetched < 2 && n.fetching != 0 {
		c := s.choose(n, s.turns.nics.at(id))
		room := n.prevTail
		if n.fetched == 1 {
			room = n.lastTail
		}
		s.read(n, room, min(c.left, s.payload))
		s.takenIn(id, n, c)
		if c.left <= s.payload {
			s.endpoint.Fetched(s.hostOf(int32(id)), s.messages.at(MsgID(c.msg)).Request, n.dmaEnd)
		}
	}
}

// takenIn records that a NIC has fetched a packet, at dmaEnd.
func (s *nicSenders) takenIn(id uint32, n *nic, c chosen) {
	n.ready[n.fetched&1] = n.dmaEnd
	s.turns.nics.at(id).taken[n.fetched&1] = c
	if n.fetched++; n.fetched == 1 {
		s.aimTurn(id, n, c)
	}
}

// aimTurn makes a packet the one that the NIC injects next.
func (s *nicSenders) aimTurn(id uint32, n *nic, c chosen) {
	n.injectLeft = c.left
	if n.head == c.msg && s.perPacket == nil {
		return
	}
	n.head = c.msg
	m := s.messages.at(MsgID(c.msg))
	n.paced = s.gapOf(MsgID(c.msg), m) > 0
	s.aim(s.hosts[s.hostOf(int32(id))], n, m)
}

// advanceTurn is the rest of advance for NICs that take turns. It sets the timer even for a time
// within the window, because a message posted before that time may get its turn.
func (b *nics) advanceTurn(id uint32, n *nic) {
	r := b.send.turns.nics.at(id)
	r.taken[0] = r.taken[1]
	if n.fetched == 0 {
		n.head = 0
	} else {
		b.send.aimTurn(id, n, r.taken[0])
	}
	if b.bus == nil {
		b.send.fetchTurns(id, n)
	} else {
		b.bus.askToFetch(id, n)
	}
	if n.fetched > 0 {
		b.send.armNIC(int32(id), n.next())
	}
}

// askedFor returns the packet for which a NIC that takes turns asks for the I/O bus.
func (u *ioBuses) askedFor(id uint32, n *nic) {
	r := u.send.turns.nics.at(id)
	r.asked = u.send.choose(n, r)
	n.fetching, n.fetchLeft = r.asked.msg, r.asked.left
}

// takeTurnFromMemory is the rest of takeFromMemory for NICs that take turns.
func (b *nics) takeTurnFromMemory(host, id uint32, n *nic) {
	r := b.send.turns.nics.at(id)
	c := r.asked
	r.asked = chosen{}
	b.send.takenIn(id, n, c)
	if n.fetched == 1 {
		b.send.armNIC(int32(id), n.next())
	}
	n.fetching = r.any()
	end := n.dmaEnd
	b.bus.askToFetch(id, n)
	if c.left <= b.payload {
		b.endpoint.Fetched(int32(host), b.messages.at(MsgID(c.msg)).Request, end)
	}
}

// queue goes over the entries of a queue.
func (t *turns) queue(v *snapshot.Visitor, q *queued) {
	var list []entry
	if !v.Restores() {
		for q.first != 0 {
			place := t.take(q)
			list = append(list, t.entries[place])
			t.entries[place].next, t.free = t.free, place
		}
	}
	snapshot.List(v, &list)
	if *q = (queued{}); v.Restores() {
		for _, e := range list {
			t.add(q, e)
		}
	}
}
