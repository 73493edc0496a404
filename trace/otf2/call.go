package otf2

import (
	"fmt"

	"fabricast/trace"
)

// call collects the events between the enter and the leave of an MPI function.
type call struct {
	depth       int // of MPI regions within one another
	name        string
	messages    []trace.Message
	later       []bool // which of the messages are only started
	completed   []uint64
	collectives []trace.Operation
	unsupported bool
	special     trace.Record // of an archive of this package: what the call stands for
	isSpecial   bool
	accesses    []trace.Record // puts and gets
}

// add adds a message that is sent or received, or started.
func (c *call) add(m trace.Message, started bool) {
	c.messages = append(c.messages, m)
	c.later = append(c.later, started)
}

// complete adds a request that is known to be complete.
func (c *call) complete(request uint64) { c.completed = append(c.completed, request) }

// message handles the event of a message.
func (s *stream) message(kind byte, f *fields) error {
	m := trace.Message{Receive: kind == evRecv || kind == evIrecv}
	peer, number := f.uint(), global(s.local.communicators, f.uint())
	m.Tag, m.Size = int32(f.uint()), int64(f.uint())
	if kind == evIsend || kind == evIrecv {
		m.Request = f.uint()
	}
	c, found := s.source.communicators[number]
	if !found {
		return s.events.fail("communicator", fmt.Sprint(number), "a defined one")
	}
	var known bool
	if m.Peer, known = s.source.world(&c, s.rank, peer); !known {
		return s.events.fail("rank of a message", fmt.Sprint(peer), "a rank of the communicator")
	}
	m.Group, m.Options.Context = c.group, c.context
	switch {
	case kind == evIrecv:
		s.settle(m)
		return nil
	case kind == evRecv && s.attributes.has(atSource):
		return s.unknown(m.Request)
	case kind == evIsend:
		s.attributes.options(&m.Options)
	}
	s.call.add(m, kind == evIsend)
	return nil
}

// world returns the world rank of a rank of a communicator, as seen by the rank `me`. Ranks in
// messages of an intercommunicator are those of the remote group.
func (s *source) world(c *resolved, me int32, rank uint64) (int32, bool) {
	if c.group == trace.Self {
		return me, rank == 0
	}
	list := c.members
	if c.inter && contains(c.members, me) {
		list = c.remote
	}
	if list == nil {
		return int32(rank), rank < uint64(len(s.locations))
	}
	if rank >= uint64(len(list)) {
		return 0, false
	}
	return list[rank], true
}

// contains reports whether a rank is in a list.
func contains(list []int32, rank int32) bool {
	for _, r := range list {
		if r == rank {
			return true
		}
	}
	return false
}

// settle handles the completion of a receive, whose source, tag and size are known from now on.
func (s *stream) settle(m trace.Message) {
	s.call.complete(m.Request)
	if _, found := s.posted[m.Request]; found {
		delete(s.posted, m.Request)
		return
	}
	if place, found := s.started[m.Request]; found {
		e := &s.queue[place-s.base]
		e.record.Message, e.open = m, false
		delete(s.started, m.Request)
		return
	}
	// the receive was started in the same call
	for i := range s.call.messages {
		if q := &s.call.messages[i]; s.call.later[i] && q.Receive && q.Request == m.Request {
			*q = m
			q.Size = max(m.Size, 0)
			return
		}
	}
	// its start was not recorded, so it counts as a receive in this call
	s.call.completed = s.call.completed[:len(s.call.completed)-1]
	s.call.add(m, false)
}

// cancel removes a receive that the program has cancelled.
func (s *stream) cancel(request uint64) {
	if _, found := s.posted[request]; found {
		delete(s.posted, request)
		s.call.special = trace.Record{Kind: trace.Cancel, Message: trace.Message{Request: request}}
		s.call.isSpecial = true
		return
	}
	if place, found := s.started[request]; found {
		e := &s.queue[place-s.base]
		e.open, e.void = false, true
		delete(s.started, request)
		s.faults.Unfinished++
	}
}

// collective handles the event that ends a collective.
func (s *stream) collective(f *fields) error {
	op, number, root := uint64(f.u8()), global(s.local.communicators, f.uint()), f.uint()
	return s.collectiveOf(op, number, root, int64(f.uint()), int64(f.uint()))
}

// collectiveOf adds a collective of a communicator to the call.
func (s *stream) collectiveOf(op, number, root uint64, sent, received int64) error {
	kind, moves := kinds[op]
	if !moves {
		return nil
	}
	c, found := s.source.communicators[number]
	if !found {
		return s.events.fail("communicator of a collective", fmt.Sprint(number), "a defined one")
	}
	if c.group == trace.Self {
		return nil
	}
	if c.inter {
		s.call.unsupported = true
		return nil
	}
	ranks := len(c.members)
	if c.members == nil {
		ranks = len(s.source.locations)
	}
	if root == undefined {
		root = 0
	}
	if root >= uint64(ranks) || sent < 0 || received < 0 {
		return s.events.fail("root of a collective", fmt.Sprint(root), fmt.Sprintf("a rank below %d", ranks))
	}
	if s.call.depth == 0 && len(s.spans) > 0 {
		return nil // its messages are calls
	}
	o := trace.Operation{
		Kind: kind, Group: c.group, Root: int32(root), Size: operandSize(kind, sent, received, ranks), Uneven: uneven(op),
	}
	if err := s.operands(&o, ranks); err != nil {
		return err
	}
	s.call.collectives = append(s.call.collectives, o)
	return nil
}

// flush yields the records of a call that has ended.
func (s *stream) flush() {
	c := &s.call
	if c.unsupported {
		s.push(trace.Record{Kind: trace.Skipped, Name: c.name})
	}
	if c.isSpecial {
		s.push(c.special)
	}
	s.flushMessages()
	for _, r := range c.accesses {
		s.push(r)
	}
	if len(c.completed) > 0 {
		s.push(trace.Record{Kind: trace.Wait, Requests: append([]uint64(nil), c.completed...)})
	}
	for _, o := range c.collectives {
		s.push(trace.Record{Kind: trace.Collective, Call: o})
	}
	*c = call{
		messages:    c.messages[:0],
		later:       c.later[:0],
		completed:   c.completed[:0],
		accesses:    c.accesses[:0],
		collectives: c.collectives[:0],
	}
}

// flushMessages yields the messages of a call. A send and a receive that both block go on at once.
func (s *stream) flushMessages() {
	c := &s.call
	var send, receive []trace.Message
	for i, m := range c.messages {
		switch {
		case c.later[i]:
			s.start(m)
		case m.Receive:
			receive = append(receive, m)
		default:
			send = append(send, m)
		}
	}
	for len(send) > 0 && len(receive) > 0 {
		s.push(trace.Record{Kind: trace.Exchange, Message: send[0], Other: receive[0]})
		send, receive = send[1:], receive[1:]
	}
	for _, m := range send {
		s.push(trace.Record{Kind: trace.Send, Message: m})
	}
	for _, m := range receive {
		s.push(trace.Record{Kind: trace.Receive, Message: m})
	}
}

// start yields the start of a send or receive.
func (s *stream) start(m trace.Message) {
	place := s.push(trace.Record{Kind: trace.Start, Message: m})
	if !m.Receive || s.known(m) {
		return
	}
	if _, found := s.posted[m.Request]; found {
		return
	}
	if s.started == nil {
		s.started = map[uint64]int{}
	}
	s.started[m.Request] = place
	s.queue[place-s.base].open = true
}

// known reports whether a receive was completed in the call that started it.
func (s *stream) known(m trace.Message) bool {
	for _, id := range s.call.completed {
		if id == m.Request {
			return true
		}
	}
	return false
}
