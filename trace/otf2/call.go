package otf2

import (
	"fmt"

	"fabricast/trace"
)

// call collects the events between the enter event and the leave event of an MPI function.
type call struct {
	depth       int // nesting depth of MPI regions
	name        string
	messages    []trace.Message
	later       []start // by message: whether it is completed in the call
	completed   []uint64
	collectives []trace.Operation
	unsupported bool
	special     trace.Record // in an archive written by this package: the record that the call represents
	isSpecial   bool
	accesses    []trace.Record // puts and gets
}

// start tells whether a message is completed in the call that starts it.
type start uint8

const (
	atOnce start = iota // a blocking operation, complete at the end of the call
	opened              // a nonblocking operation, completed by a later call
	// a nonblocking receive in an archive written by this package, with known source, tag and size
	posted
)

// add adds a send or receive to the call.
func (c *call) add(m *trace.Message, later start) {
	c.messages = append(c.messages, *m)
	c.later = append(c.later, later)
}

// complete adds a request that is completed in the call.
func (c *call) complete(request uint64) { c.completed = append(c.completed, request) }

// message handles a send or receive event.
func (s *stream) message(kind byte, f *fields) error {
	if s.source.own && kind == evIrecv && len(s.started) == 0 && len(s.call.messages) == 0 {
		f.skip(messageFields)
		s.call.complete(f.uint())
		return nil
	}
	m := trace.Message{Receive: kind == evRecv || kind == evIrecv}
	peer, number := f.uint(), global(&s.local.communicators, f.uint())
	m.Tag, m.Size = int32(f.uint()), int64(f.uint())
	if kind == evIsend || kind == evIrecv {
		m.Request = f.uint()
	}
	c, found := s.source.communicators.get(number)
	if !found || c.foreign {
		return s.events.fail("communicator", fmt.Sprint(number), "a defined one of MPI")
	}
	var known bool
	if m.Peer, known = s.source.world(c, s.rank, peer); !known {
		return s.events.fail("rank of a message", fmt.Sprint(peer), "a rank of the communicator")
	}
	m.Group, m.Options.Context = c.group, c.context
	later := atOnce
	switch {
	case kind == evIrecv:
		s.settle(&m)
		return nil
	case kind == evRecv && s.attributes.has(atSource):
		return s.unknown(m.Request)
	case kind == evIsend:
		s.attributes.options(&m.Options)
		later = opened
	}
	s.call.add(&m, later)
	return nil
}

// messageFields is the number of integers before the request in a send or receive event.
const messageFields = 4

// world returns the world rank of a rank in a communicator, used by world rank me. In an
// intercommunicator, the rank is one of the remote group.
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

// contains reports whether rank is in list.
func contains(list []int32, rank int32) bool {
	for _, r := range list {
		if r == rank {
			return true
		}
	}
	return false
}

// settle handles the completion of a nonblocking receive. The completion event provides the source,
// tag and size.
func (s *stream) settle(m *trace.Message) {
	if place, found := s.started[m.Request]; found {
		s.call.complete(m.Request)
		e := &s.queue[place-s.base]
		e.record.Message, e.open = *m, false
		delete(s.started, m.Request)
		return
	}
	// the receive was started in the same call
	for i := range s.call.messages {
		if q := &s.call.messages[i]; s.call.later[i] == opened && q.Receive && q.Request == m.Request {
			s.call.complete(m.Request)
			*q = *m
			q.Size = max(m.Size, 0)
			return
		}
	}
	if s.source.own {
		s.call.complete(m.Request)
		return
	}
	// the start was not recorded: treat it as a blocking receive in this call
	s.call.add(m, atOnce)
}

// cancel removes from the queue a receive that the program has cancelled.
func (s *stream) cancel(request uint64) {
	if place, found := s.started[request]; found {
		e := &s.queue[place-s.base]
		e.open, e.void = false, true
		delete(s.started, request)
		s.faults.Unfinished++
		return
	}
	if s.source.own {
		s.call.special = trace.Record{Kind: trace.Cancel, Message: trace.Message{Request: request}}
		s.call.isSpecial = true
	}
}

// collective handles the event at the end of a collective.
func (s *stream) collective(f *fields) error {
	op, number, root := uint64(f.u8()), global(&s.local.communicators, f.uint()), f.uint()
	return s.collectiveOf(op, number, root, int64(f.uint()), int64(f.uint()))
}

// collectiveOf adds a collective to the call. op is its kind, number its communicator, and sent and
// received the bytes recorded for this rank.
func (s *stream) collectiveOf(op, number, root uint64, sent, received int64) error {
	kind, moves := kindOf(op)
	if !moves {
		return nil
	}
	c, found := s.source.communicators.get(number)
	if !found {
		return s.events.fail("communicator of a collective", fmt.Sprint(number), "a defined one")
	}
	if c.group == trace.Self || c.foreign {
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
		return nil // its messages are recorded as calls within it
	}
	o := trace.Operation{
		Kind: kind, Group: c.group, Root: int32(root),
		Size: operandSize(kind, sent, received, ranks), Uneven: uneven(op),
	}
	if err := s.operands(&o, ranks); err != nil {
		return err
	}
	s.call.collectives = append(s.call.collectives, o)
	return nil
}

// flush yields the records of the call, which has ended.
func (s *stream) flush() {
	c := &s.call
	if c.unsupported {
		s.push(trace.Skipped).Name = c.name
	}
	if c.isSpecial {
		*s.push(c.special.Kind) = c.special
	}
	s.flushMessages()
	for i := range c.accesses {
		*s.push(c.accesses[i].Kind) = c.accesses[i]
	}
	if len(c.completed) > 0 {
		s.flushCompleted()
	}
	for i := range c.collectives {
		s.push(trace.Collective).Call = c.collectives[i]
	}
	c.unsupported, c.isSpecial = false, false
	c.messages, c.later, c.completed = c.messages[:0], c.later[:0], c.completed[:0]
	c.accesses, c.collectives = c.accesses[:0], c.collectives[:0]
}

// flushCompleted yields a wait for the requests that were completed in the call.
func (s *stream) flushCompleted() {
	list := s.call.completed
	if s.direct == nil { // copy the list: the record stays in the queue while the next calls are read
		const block = 512
		if cap(s.spare)-len(s.spare) < len(list) {
			s.spare = make([]uint64, 0, max(block, len(list)))
		}
		n := len(s.spare)
		s.spare = append(s.spare, list...)
		list = s.spare[n:len(s.spare):len(s.spare)]
	}
	s.push(trace.Wait).Requests = list
}

// flushMessages yields the messages of the call. A blocking send and a blocking receive in the same
// call become an exchange.
func (s *stream) flushMessages() {
	c := &s.call
	for i := range c.messages {
		if later := c.later[i]; later != atOnce {
			s.start(&c.messages[i], later)
		}
	}
	send, receive := c.atOnce(0, false), c.atOnce(0, true)
	n := len(c.messages)
	for ; send < n && receive < n; send, receive = c.atOnce(send+1, false), c.atOnce(receive+1, true) {
		r := s.push(trace.Exchange)
		r.Message, r.Other = c.messages[send], c.messages[receive]
	}
	for ; send < n; send = c.atOnce(send+1, false) {
		s.push(trace.Send).Message = c.messages[send]
	}
	for ; receive < n; receive = c.atOnce(receive+1, true) {
		s.push(trace.Receive).Message = c.messages[receive]
	}
}

// atOnce returns the index of the first blocking send (or receive) among messages i, i+1, ...; the
// number of messages if there is none.
func (c *call) atOnce(i int, receive bool) int {
	for i < len(c.messages) && (c.later[i] != atOnce || c.messages[i].Receive != receive) {
		i++
	}
	return i
}

// start yields a nonblocking send or receive. A receive whose source is unknown waits in the queue.
func (s *stream) start(m *trace.Message, later start) {
	if !m.Receive || later == posted || s.known(m) {
		s.push(trace.Start).Message = *m
		return
	}
	e := s.queued(trace.Start)
	e.record.Message, e.open = *m, true
	if s.started == nil {
		s.started = map[uint64]int{}
	}
	s.started[m.Request] = s.base + len(s.queue) - 1
}

// known reports whether the receive m was completed in the call that started it.
func (s *stream) known(m *trace.Message) bool {
	for _, id := range s.call.completed {
		if id == m.Request {
			return true
		}
	}
	return false
}
