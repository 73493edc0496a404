package node

import (
	"fabricast/internal/invariants"
	"fabricast/node/internal/core"
	"fabricast/node/internal/model"
)

// Sendrecv combines RecvCut, Send and a WaitAll of both, for a program that is not a coroutine.
func (o *Ops) Sendrecv(
	send model.Buf,
	dst, source, sendTag int32,
	recv model.Buf,
	from, recvTag, context int32,
) (wait bool) {
	if j := o.journal; j.outermost() {
		return j.sendrecv(o, send, dst, source, sendTag, recv, from, recvTag, context)
	}
	if o.exchange(send, dst, source, sendTag, recv, from, recvTag, context, core.IsReceive|core.IsCut) {
		return true
	}
	r := o.RecvCut(recv, from, recvTag, context)
	return o.WaitAll(o.Send(send, dst, source, sendTag, context), r)
}

// Exchange combines Recv, Send and a WaitAll of both, for a program that is not a coroutine. The rank always has to
// wait. If the rank has other open requests, or needs more than most ranks do, Exchange does nothing and returns
// false.
func (o *Ops) Exchange(
	send model.Buf,
	dst, source, sendTag int32,
	recv model.Buf,
	from, recvTag, context int32,
) bool {
	return o.journal == nil &&
		o.exchange(send, dst, source, sendTag, recv, from, recvTag, context, core.IsReceive)
}

// exchange implements Exchange with the given flags of the receive. It starts both operations at once, without
// recording them first.
func (o *Ops) exchange(
	send model.Buf,
	dst, source, sendTag int32,
	recv model.Buf,
	from, recvTag, context int32,
	flags uint32,
) bool {
	b, r := o.block, o.rank
	if !b.exchanges || !o.bare() || from == model.AnySource || recvTag == model.AnyTag ||
		int64(send.Len()) > b.shared.Protocols.ToAll || b.shared.Neighbours(r.ID, dst) {
		return false
	}
	o.steps += 3
	index, q := b.requests.Receives.Alloc()
	q.Owner = o.owner(flags | core.IsWaited)
	b.requests.SetSize(q, int64(recv.Len()))
	q.Source, q.Tag, q.Context = from, recvTag, context
	if recv.HasData() {
		b.requests.SetBuffer(q, o.keep(recv.Bytes()))
	}
	r.PostOnly(index, q)
	r.Chain, r.Waiting = core.ReceiveID(index), 1
	r.Hint(0, 0)
	r.Message = model.Envelope{}
	o.sendNow(send, dst, source, sendTag, context)
	r.State = model.WaitAll // leaves nothing to do for the node
	return true
}

// bare reports whether the rank has no open request and no emitted operation, and no rank of the block is logged or
// traced. A program may begin to log when it starts.
func (o *Ops) bare() bool {
	return len(o.list) == 0 && o.rank.Bare() && o.rank.AllUnexpected == 0 && o.block.logs.By == nil &&
		o.block.clocks.Tracer == nil
}

// sendNow sends a message to another host. If its completion time is not yet known, the rank waits
// for its request, too.
func (o *Ops) sendNow(buf model.Buf, dst, source, tag, context int32) {
	b, r := o.block, o.rank
	r.Counters.SentMessages++
	r.Counters.SentBytes += int64(buf.Len())
	id, m := b.transport.NewMessage()
	m.Src, m.Dst = r.Host, b.shared.Host(dst)
	m.SrcRank, m.Context, m.Tag = source, context, tag
	m.Size, m.Sent = int64(buf.Len()), r.Clock
	if len(buf.Bytes()) > 0 {
		m.Payload = o.stow(buf.Bytes(), core.EagerMessage)
	}
	copied := b.shared.Spec.OneCopy
	b.clocks.Charge(r, b.clocks.CallCost(context, tag, int64(buf.Len()), copied))
	m.Post = r.Clock
	if invariants.Enabled && m.Post < b.schedule.Now {
		panic("a rank has sent a message in the past")
	}
	if r.SendsDone = m.Post; copied {
		b.outbox.Dispatch(id)
		return
	}
	index, q := b.requests.Sends.Alloc()
	q.Owner = o.owner(core.IsSend)
	m.Request = core.SendID(index)
	b.outbox.Dispatch(id)
	if q.Complete() { // the NIC had nothing else to read
		r.SendsDone = q.Done
		b.requests.Sends.Put(index, q)
		return
	}
	q.Owner |= core.IsWaited
	q.Chain, r.Chain = r.Chain, core.SendID(index)
	r.SendsDone = 0
	r.Waiting++
}
