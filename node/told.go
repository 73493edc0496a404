package node

import (
	"fabricast/node/internal/core"
	"fabricast/node/internal/journal"
	"fabricast/node/internal/model"
)

// Mark attaches a word of the program's own to the contents of the next message sent with contents.
// A receive by RecvTo gets it in Told.
func (o *Ops) Mark(mark uint64) { o.mark = mark }

// RecvTo does what Recv does, and fills in told when the message meets the receive. The caller owns
// told, which must stay valid until the receive is complete. A message longer than the buffer is
// truncated instead of ending the run; told.Size is still its full size.
func (o *Ops) RecvTo(buf model.Buf, told *model.Delivery, source, tag, context int32) model.Request {
	if j := o.journal; j.outermost() {
		return j.recv(o, journal.CallRecvTo, buf, told, source, tag, context)
	}
	id := o.Recv(buf, source, tag, context)
	q := o.block.requests.Receives.At(core.IndexOf(id.ID))
	number := o.block.requests.Buffer(q)
	if number == 0 {
		number = o.keep(nil)
	}
	o.block.requests.DescribeIn(q, number, told)
	return id
}

// RecvCut does what Recv does, for programs that check Received: a message longer than the buffer
// is truncated instead of ending the run, and its Size is its full size.
func (o *Ops) RecvCut(buf model.Buf, source, tag, context int32) model.Request {
	if j := o.journal; j.outermost() {
		return j.recv(o, journal.CallRecvCut, buf, nil, source, tag, context)
	}
	return o.Receive(buf, source, tag, context, core.IsReceive|core.IsCut)
}

// TestAny asks whether one of the requests is complete by now. Flag then returns the answer, and
// Completed the request that completed first, as chosen by WaitAny. Zero requests are ignored, but
// one request must be active.
func (o *Ops) TestAny(requests []model.Request) (wait bool) {
	if j := o.journal; j.outermost() {
		return j.testAny(o, requests)
	}
	o.steps++
	o.waits = o.waits[:0]
	first := model.Request{}
	for _, id := range requests {
		if id.ID == 0 {
			continue
		}
		q := o.request(id)
		if q.Complete() && q.Done <= o.rank.Clock && (first.ID == 0 || q.CompletesBefore(o.request(first))) {
			first = id
		}
	}
	if first.ID != 0 {
		o.block.logs.WaitedFor(o.rank, first.ID)
		o.block.waiting.Account(o.rank, first.ID)
		o.block.waiting.Outcome.Flag, o.block.waiting.Outcome.Completed = true, first
		return false
	}
	for _, id := range requests {
		if id.ID != 0 {
			o.waitFor(id, o.request(id))
		}
	}
	o.last = model.Test
	return true
}

// Settle completes and frees a request that is complete by now, and reports whether it was. It
// never waits, and costs only what a completion costs.
func (o *Ops) Settle(id model.Request) bool {
	if j := o.journal; j.outermost() {
		return j.settle(o, id)
	}
	q := o.request(id)
	if !q.Complete() || q.Done > o.rank.Clock {
		return false
	}
	o.block.logs.WaitedFor(o.rank, id.ID)
	o.block.waiting.Account(o.rank, id.ID)
	o.Free(id)
	return true
}

// Cancel cancels a receive that no message has met, and reports whether it did. The receive must
// have been posted in an earlier call of Resume.
func (o *Ops) Cancel(id model.Request) bool {
	if j := o.journal; j.outermost() {
		return j.cancel(o, id)
	}
	o.steps++
	q := o.request(id)
	if q.Send() || q.Complete() || !o.block.matching.Withdraw(o.rank, core.IndexOf(id.ID)) {
		return false
	}
	p := &o.block.requests
	if number := p.Buffer(p.Receives.At(core.IndexOf(id.ID))); number != 0 {
		p.Buffers.Release(number)
	}
	o.block.requests.Release(id.ID)
	if l := o.block.logs.Of(o.slot); l != nil {
		l.Cancelled(id)
	}
	return true
}
