package node

import (
	"fabricast/node/internal/core"
	"fabricast/node/internal/journal"
	"fabricast/node/internal/model"
)

// Mark attaches a word chosen by the program to the contents of the next message that has contents.
// A receive by RecvTo gets it in delivery.Mark.
func (o *Ops) Mark(mark uint64) { o.mark = mark }

// RecvTo is like Recv, and fills in delivery when a message matches the receive. The caller owns
// delivery, which must stay valid until the receive is complete. A message longer than the buffer
// is truncated instead of ending the run; delivery.Size is still its full size.
func (o *Ops) RecvTo(buf model.Buf, delivery *model.Delivery, source, tag, context int32) model.Request {
	if j := o.journal; j.outermost() {
		return j.recv(o, journal.CallRecvTo, buf, delivery, source, tag, context)
	}
	id := o.Recv(buf, source, tag, context)
	q := o.block.requests.Receives.At(core.IndexOf(id.ID))
	number := o.block.requests.Buffer(q)
	if number == 0 {
		number = o.keep(nil)
	}
	o.block.requests.DescribeIn(q, number, delivery)
	return id
}

// RecvCut is like Recv for programs that check Received: a message longer than the buffer is
// truncated instead of ending the run, and its Size is its full size.
func (o *Ops) RecvCut(buf model.Buf, source, tag, context int32) model.Request {
	if j := o.journal; j.outermost() {
		return j.recv(o, journal.CallRecvCut, buf, nil, source, tag, context)
	}
	return o.Receive(buf, source, tag, context, core.IsReceive|core.IsCut)
}

// TestAny tests whether one of the requests is complete. Flag then returns the result, and
// Completed the request that WaitAny would select. Zero requests are ignored, but at least one
// request must be active.
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

// Settle completes and frees a request if it is complete, and reports whether it was. It never
// waits, and costs only what a completion costs.
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

// Cancel cancels a receive if no message has matched it, and reports whether it has done so. The
// receive must have been posted in an earlier call of Resume.
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

// A send is canceled at the receiver, while its message waits for a receive. The sender's NIC sends
// a cancel request after the message, and the receiver's NIC replies whether the message was still
// unmatched. If so, the message counts as never sent.
//
// The message of a rendezvous is identified by its send, which cannot complete before the message
// has matched a receive. An eager message may outlive its send, so it has a name (Options.Name).

// CancelSend cancels a send to world rank dst, identified by the arguments of Send, if no receive
// has matched it. send is 0 if that request has already been freed. The returned request completes
// when the receiver's NIC has replied. delivery.Size is then 1 if the message has been canceled
// (the send is complete, too), and 0 if it has matched a receive. The caller owns delivery;
// delivery and the send must stay valid until then.
func (o *Ops) CancelSend(send model.Request, delivery *model.Delivery, dst, source, tag, context int32, name uint32) model.Request {
	if j := o.journal; j.outermost() {
		return j.cancelSend(o, send, delivery, dst, source, tag, context, name)
	}
	id, q := o.oneSided.fetching()
	o.block.requests.DescribeIn(q, o.keep(nil), delivery)
	_, x := o.oneSided.begin(core.CancelRequest, id, &core.Access{Rank: dst, Place: int64(context)}, int64(source))
	x.Code = int64(name)
	x.Value = [2]int64{core.ValueSend: int64(send.ID), core.ValueTag: int64(tag)}
	return model.Request{ID: id}
}
