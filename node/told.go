package node

// Mark attaches a word of the program's own to the contents of the next message sent with contents.
// A receive by RecvTo gets it in Told.
func (o *Ops) Mark(mark uint64) { o.mark = mark }

// RecvTo does what Recv does, and fills in told when the message meets the receive. The caller owns
// told, which must stay valid until the receive is complete. A message longer than the buffer is
// truncated instead of ending the run; told.Size is still its full size.
func (o *Ops) RecvTo(buf Buf, told *Told, source, tag, context int32) Request {
	if j := o.journal; j.outermost() {
		return j.recv(o, callRecvTo, buf, told, source, tag, context)
	}
	id := o.Recv(buf, source, tag, context)
	q := o.block.requests.receives.at(indexOf(id.ID))
	number := o.block.requests.buffer(q)
	if number == 0 {
		number = o.keep(nil)
	}
	o.block.requests.tell(q, number, told)
	return id
}

// RecvCut does what Recv does, for programs that check Received: a message longer than the buffer
// is truncated instead of ending the run, and its Size is its full size.
func (o *Ops) RecvCut(buf Buf, source, tag, context int32) Request {
	if j := o.journal; j.outermost() {
		return j.recv(o, callRecvCut, buf, nil, source, tag, context)
	}
	return o.receive(buf, source, tag, context, isReceive|isCut)
}

// TestAny asks whether one of the requests is complete by now. Flag then returns the answer, and
// Completed the request that completed first, as chosen by WaitAny. Zero requests are ignored, but
// one request must be active.
func (o *Ops) TestAny(requests []Request) (wait bool) {
	if j := o.journal; j.outermost() {
		return j.testAny(o, requests)
	}
	o.steps++
	o.waits = o.waits[:0]
	first := Request{}
	for _, id := range requests {
		if id.ID == 0 {
			continue
		}
		q := o.request(id)
		if q.complete() && q.done <= o.rank.clock && (first.ID == 0 || q.completesBefore(o.request(first))) {
			first = id
		}
	}
	if first.ID != 0 {
		o.block.logs.waitedFor(o.rank, first.ID)
		o.block.waiting.account(o.rank, first.ID)
		o.block.waiting.outcome.flag, o.block.waiting.outcome.completed = true, first
		return false
	}
	for _, id := range requests {
		if id.ID != 0 {
			o.waitFor(id, o.request(id))
		}
	}
	o.last = Test
	return true
}

// Settle completes and frees a request that is complete by now, and reports whether it was. It
// never waits, and costs only what a completion costs.
func (o *Ops) Settle(id Request) bool {
	if j := o.journal; j.outermost() {
		return j.settle(o, id)
	}
	q := o.request(id)
	if !q.complete() || q.done > o.rank.clock {
		return false
	}
	o.block.logs.waitedFor(o.rank, id.ID)
	o.block.waiting.account(o.rank, id.ID)
	o.Free(id)
	return true
}

// Cancel cancels a receive that no message has met, and reports whether it did. The receive must
// have been posted in an earlier call of Resume.
func (o *Ops) Cancel(id Request) bool {
	if j := o.journal; j.outermost() {
		return j.cancel(o, id)
	}
	o.steps++
	q := o.request(id)
	if q.send() || q.complete() || !o.block.matching.withdraw(o.rank, indexOf(id.ID)) {
		return false
	}
	p := &o.block.requests
	if number := p.buffer(p.receives.at(indexOf(id.ID))); number != 0 {
		p.buffers.release(number)
	}
	o.block.requests.release(id.ID)
	if l := o.block.logs.of(o.slot); l != nil {
		l.Cancelled(id)
	}
	return true
}
