package node

import "fabricast/internal/invariants"

// Sendrecv is RecvCut, Send and WaitAll of both, for a program that is no coroutine. Most ranks that call it have nothing else
// open: for them both are begun at once, without being noted first.
func (o *Ops) Sendrecv(send Buf, dst, source, sendTag int32, recv Buf, from, recvTag, context int32) (wait bool) {
	b, r := o.block, o.rank
	if !o.bare() || from == AnySource || recvTag == AnyTag || send.size > b.world.protocols.eagerUpTo || b.world.neighbours(r.id, dst) {
		r := o.RecvCut(recv, from, recvTag, context)
		return o.WaitAll(o.Send(send, dst, source, sendTag, context), r)
	}
	o.steps += 3
	index, q := b.receives.take()
	q.owner, q.size = o.owner(isReceive|isCut|isWaited), recv.size
	q.source, q.tag, q.context = from, recvTag, context
	if recv.data != nil {
		q.buffer = o.keep(recv.data)
	}
	r.postOnly(index, q)
	r.chain, r.waiting = receiveID(index), 1
	r.message = Envelope{}
	o.sendNow(send, dst, source, sendTag, context)
	r.state = WaitAll // so that the node finds nothing left to do
	return true
}

// bare tells whether the rank has nothing open.
func (o *Ops) bare() bool {
	return o.block.simple && len(o.list) == 0 && o.rank.bare() && o.rank.allUnexpected == 0
}

// sendNow sends a message to another host, and makes its request another one that the rank waits for if it is not yet known when it completes.
func (o *Ops) sendNow(buf Buf, dst, source, tag, context int32) {
	b, r := o.block, o.rank
	r.counters.sentMessages++
	r.counters.sentBytes += buf.size
	id, m := b.transport.NewMessage()
	m.Src, m.Dst = r.host, b.world.hostOf[dst]
	m.SrcRank, m.Context, m.Tag = source, context, tag
	m.Size, m.Sent = buf.size, r.clock
	if len(buf.data) > 0 {
		m.Payload = o.stow(buf.data)
	}
	copied := b.world.spec.OneCopy
	b.charge(r, b.callCost(buf.size, copied))
	m.Post = r.clock
	if invariants.Enabled && m.Post < b.now {
		panic("a rank has sent a message in the past")
	}
	if r.sendsDone = m.Post; copied {
		b.dispatch(id)
		return
	}
	index, q := b.sends.take()
	q.owner = o.owner(isSend)
	m.Request = sendID(index)
	b.dispatch(id)
	if q.complete() { // as of a NIC that has had nothing else to read
		r.sendsDone = q.done
		b.sends.put(index, q)
		return
	}
	q.owner |= isWaited
	q.chain, r.chain = r.chain, sendID(index)
	r.sendsDone = 0
	r.waiting++
}
