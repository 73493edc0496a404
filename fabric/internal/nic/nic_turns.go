package nic

import (
	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"
	"fabricast/internal/offheap"
	"fabricast/internal/snapshot"
)

// With Spec.TakeTurns, NICs alternate among the messages posted to them, packet by packet, instead
// of sending one message after another. With Spec.ControlFirst they send one message after another,
// but messages without payload first. The message of a packet is chosen as soon as the NIC has
// space for it: when the packet two positions before it has been injected, or, if there is no
// message then, when the next one is posted.

// turns is a block's additional state for NICs that choose messages packet by packet.
type turns struct {
	nics    core.Array[Rota]
	entries []entry // [0] is none
	free    uint32  // the one given back last, which links to the one before; 0 = none
	control bool    // Spec.ControlFirst
	list    []entry // a buffer
}

// entry is a message that has packets left to be chosen.
type entry struct {
	left      int64 // payload bytes of the remaining packets
	msg, next uint32
}

// Rota holds a NIC's messages that have packets left to be chosen, and the packets already chosen.
type Rota struct {
	now, later queued    // posted messages in order of turns; messages that become posted later
	control    queued    // with ControlFirst, posted messages without payload
	asked      chosen    // packet for which it requests the I/O bus
	taken      [2]chosen // packets that it has fetched
}

// queued is a FIFO of entries.
type queued struct{ first, last uint32 }

// chosen is a packet of a message, with the payload bytes left before it. Message 0 means none.
type chosen struct {
	left int64
	msg  uint32
}

// newTurns returns a block's turns, or nil if its NICs simply send one message after another.
func newTurns(s *model.Spec, nics core.Array[Rota]) *turns {
	if nics.N == 0 {
		return nil
	}
	return &turns{nics: nics, entries: make([]entry, 1), control: s.ControlFirst}
}

// newRotas allocates a Rota for each NIC, if NICs choose messages packet by packet.
func newRotas(a *offheap.Arena, s *model.Spec) (nics core.Array[Rota], err error) {
	if s.ChoosesPackets() {
		err = nics.Reserve(a, len(s.Graph.NICPort))
	}
	return nics, err
}

// ForecastTurns returns the memory (bytes) that turns need with one message at every NIC.
func ForecastTurns(s *model.Spec) int64 {
	if !s.ChoosesPackets() {
		return 0
	}
	return int64(len(s.Graph.NICPort)) * (core.SizeOf[Rota]() + core.SizeOf[entry]())
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

// admit moves the first message of r.later to the posted messages.
func (t *turns) admit(r *Rota) {
	place := t.take(&r.later)
	if t.control && t.entries[place].left == 0 {
		t.append(&r.control, place)
	} else {
		t.append(&r.now, place)
	}
}

// any returns a nonzero value if a NIC has a message with packets left to be chosen.
func (r *Rota) any() uint32 { return r.control.first | r.now.first | r.later.first }

// postTurn implements Post for NICs that choose messages packet by packet.
func (b *NICs) postTurn(id model.MsgID, m *model.Message, n *Sender) {
	m.Left, m.Next = b.Send.packetsOf(m), 0
	b.Ahead.Under(id, m.Size)
	nic := uint32(m.Src)
	b.Send.Turns.add(&b.Send.Turns.nics.At(nic).later, entry{left: m.Size, msg: uint32(id)})
	if n.Fetching != 0 { // the NIC has no space
		return
	}
	n.Fetching = uint32(id)
	if b.Bus != nil {
		b.Bus.askToFetch(nic, n)
		return
	}
	idle := n.Fetched == 0
	b.Send.fetchTurns(nic, n)
	if idle {
		b.Send.armNIC(m.Src, n.Next())
	}
}

// choose removes the next packet from the message whose turn it is, and sets up the NIC for it.
// There must be one.
func (s *Senders) choose(n *Sender, r *Rota) chosen {
	t := s.Turns
	for q := &r.later; q.first != 0 && s.messages.At(model.MsgID(t.entries[q.first].msg)).Post <= s.events.Now; {
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
	switch e.left -= s.Payload; {
	case e.left <= 0:
		e.next, t.free = t.free, place
	case t.control:
		t.prepend(&r.now, place)
	default:
		t.append(&r.now, place)
	}
	n.Fetching = 0
	if r.any() != 0 {
		n.Fetching = c.msg // any value but 0
	}
	n.Known(s.messages.At(model.MsgID(c.msg)).Post + s.BusLatency)
	return c
}

// fetchTurns implements Fetch for NICs that choose messages packet by packet.
func (s *Senders) fetchTurns(id uint32, n *Sender) {
	for n.Fetched < 2 && n.Fetching != 0 {
		c := s.choose(n, s.Turns.nics.At(id))
		room := n.PrevTail
		if n.Fetched == 1 {
			room = n.LastTail
		}
		s.Read(n, room, min(c.left, s.Payload))
		s.takenIn(id, n, c)
		if c.left <= s.Payload {
			s.endpoint.Fetched(s.HostOf(int32(id)), s.messages.At(model.MsgID(c.msg)).Request, n.DmaEnd)
		}
	}
}

// takenIn records that a NIC has fetched a packet, at DmaEnd.
func (s *Senders) takenIn(id uint32, n *Sender, c chosen) {
	n.Ready[n.Fetched&1] = n.DmaEnd
	s.Turns.nics.At(id).taken[n.Fetched&1] = c
	if n.Fetched++; n.Fetched == 1 {
		s.aimTurn(id, n, c)
	}
}

// aimTurn makes a packet the next one that the NIC injects.
func (s *Senders) aimTurn(id uint32, n *Sender, c chosen) {
	n.InjectLeft = c.left
	if n.Head == c.msg && s.PerPacket == nil {
		return
	}
	n.Head = c.msg
	m := s.messages.At(model.MsgID(c.msg))
	n.Paced = s.GapOf(model.MsgID(c.msg), m) > 0
	s.aim(s.Hosts[s.HostOf(int32(id))], n, m)
}

// advanceTurn is the last step of Advance for NICs that choose messages packet by packet. It sets
// the timer even for a time within the window, because a message posted before that time may get
// its turn.
func (b *NICs) advanceTurn(id uint32, n *Sender) {
	r := b.Send.Turns.nics.At(id)
	r.taken[0] = r.taken[1]
	if n.Fetched == 0 {
		n.Head = 0
	} else {
		b.Send.aimTurn(id, n, r.taken[0])
	}
	if b.Bus == nil {
		b.Send.fetchTurns(id, n)
	} else {
		b.Bus.askToFetch(id, n)
	}
	if n.Fetched > 0 {
		b.Send.armNIC(int32(id), n.Next())
	}
}

// askedFor chooses the packet for which a NIC requests the I/O bus.
func (u *IOBuses) askedFor(id uint32, n *Sender) {
	r := u.send.Turns.nics.At(id)
	r.asked = u.send.choose(n, r)
	n.Fetching, n.FetchLeft = r.asked.msg, r.asked.left
}

// takeTurnFromMemory is the last step of takeFromMemory for NICs that choose messages packet by
// packet.
func (b *NICs) takeTurnFromMemory(host, id uint32, n *Sender) {
	r := b.Send.Turns.nics.At(id)
	c := r.asked
	r.asked = chosen{}
	b.Send.takenIn(id, n, c)
	if n.Fetched == 1 {
		b.Send.armNIC(int32(id), n.Next())
	}
	n.Fetching = 0
	if r.any() != 0 {
		n.Fetching = c.msg // any but none
	}
	end := n.DmaEnd
	b.Bus.askToFetch(id, n)
	if c.left <= b.Payload {
		b.Endpoint.Fetched(int32(host), b.Messages.At(model.MsgID(c.msg)).Request, end)
	}
}

// queues returns a NIC's queues.
func (r *Rota) queues() [3]*queued { return [...]*queued{&r.now, &r.later, &r.control} }

// state goes over what a NIC has, with the entries of its queues.
func (t *turns) state(v *snapshot.Visitor, r *Rota) {
	snapshot.Value(v, &r.asked)
	snapshot.Value(v, &r.taken)
	for _, q := range r.queues() {
		t.list = t.list[:0]
		for place := q.first; place != 0; place = t.entries[place].next {
			e := t.entries[place]
			t.list = append(t.list, entry{left: e.left, msg: e.msg})
		}
		if snapshot.List(v, &t.list); v.Restores() {
			t.drop(q)
			for _, e := range t.list {
				t.add(q, e)
			}
		}
	}
}

// drop gives back the entries of a queue.
func (t *turns) drop(q *queued) {
	for q.first != 0 {
		place := t.take(q)
		t.entries[place].next, t.free = t.free, place
	}
	*q = queued{}
}
