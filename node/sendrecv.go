package node

import "fabricast/internal/invariants"

// Sendrecv does what RecvCut, Send and a WaitAll of both do, for a program that is no coroutine.
// Most ranks that call it have no other request open. For them both are begun at once, without
// being recorded first.
func (o *Ops) Sendrecv(
	send Buf,
	dst, source, sendTag int32,
	recv Buf,
	from, recvTag, context int32,
) (wait bool) {
	if j := o.journal; j.outermost() {
		return j.sendrecv(o, send, dst, source, sendTag, recv, from, recvTag, context)
	}
	b, r := o.block, o.rank
	if !o.bare() || b.shared.spec.UntilFetched || from == AnySource || recvTag == AnyTag ||
		int64(send.Len()) > b.shared.protocols.toAll ||
		b.shared.neighbours(r.id, dst) {
		r := o.RecvCut(recv, from, recvTag, context)
		return o.WaitAll(o.Send(send, dst, source, sendTag, context), r)
	}
	o.steps += 3
	index, q := b.requests.receives.alloc()
	q.owner = o.owner(isReceive | isCut | isWaited)
	b.requests.setSize(q, int64(recv.Len()))
	q.source, q.tag, q.context = from, recvTag, context
	if recv.HasData() {
		b.requests.setBuffer(q, o.keep(recv.Bytes()))
	}
	r.postOnly(index, q)
	r.chain, r.waiting = receiveID(index), 1
	r.message = Envelope{}
	o.sendNow(send, dst, source, sendTag, context)
	r.state = WaitAll // so that the node finds nothing left to do
	return true
}

// bare reports whether the rank has no request or operation open.
func (o *Ops) bare() bool {
	return o.block.simple && o.block.logs.by == nil && len(o.list) == 0 && o.rank.bare() &&
		o.rank.allUnexpected == 0
}

// sendNow sends a message to another host. If its completion is not yet known, its request becomes
// one more that the rank waits for.
func (o *Ops) sendNow(buf Buf, dst, source, tag, context int32) {
	b, r := o.block, o.rank
	r.counters.sentMessages++
	r.counters.sentBytes += int64(buf.Len())
	id, m := b.transport.NewMessage()
	m.Src, m.Dst = r.host, b.shared.host(dst)
	m.SrcRank, m.Context, m.Tag = source, context, tag
	m.Size, m.Sent = int64(buf.Len()), r.clock
	if len(buf.Bytes()) > 0 {
		m.Payload = o.stow(buf.Bytes())
	}
	copied := b.shared.spec.OneCopy
	b.clocks.charge(r, b.clocks.callCost(int64(buf.Len()), copied))
	m.Post = r.clock
	if invariants.Enabled && m.Post < b.schedule.now {
		panic("a rank has sent a message in the past")
	}
	if r.sendsDone = m.Post; copied {
		b.outbox.dispatch(id)
		return
	}
	index, q := b.requests.sends.alloc()
	q.owner = o.owner(isSend)
	m.Request = sendID(index)
	b.outbox.dispatch(id)
	if q.complete() { // as of a NIC that has had nothing else to read
		r.sendsDone = q.done
		b.requests.sends.put(index, q)
		return
	}
	q.owner |= isWaited
	q.chain, r.chain = r.chain, sendID(index)
	r.sendsDone = 0
	r.waiting++
}
