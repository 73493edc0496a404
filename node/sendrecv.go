package node

// Sendrecv is RecvCut, Send and WaitAll of both, for a program that is no coroutine. Most ranks that call it have nothing else
// open: for them both are begun at once, without being noted first.
func (o *Ops) Sendrecv(send Buf, dst, source, sendTag int32, recv Buf, from, recvTag, context int32) (wait bool) {
	if !o.bare(send.size, dst, from, recvTag) {
		r := o.RecvCut(recv, from, recvTag, context)
		return o.WaitAll(o.Send(send, dst, source, sendTag, context), r)
	}
	b, r := o.block, o.rank
	o.steps += 3
	index, q := b.receives.take()
	q.owner, q.size = o.owner(isReceive|isCut|isWaited), recv.size
	q.source, q.tag, q.context = from, recvTag, context
	if recv.data != nil {
		q.buffer = o.keep(recv.data)
	}
	r.postOnly(index, q)
	sent := o.sendNow(send, dst, source, sendTag, context)
	r.sendsDone, r.message = 0, Status{}
	o.waits = o.waits[:0]
	if q := b.sends.at(sent); q.complete() {
		r.sendsDone = q.done
		b.sends.put(sent, q)
	} else {
		q.owner |= isWaited
		o.waits = append(o.waits, sendID(sent))
	}
	o.waits = append(o.waits, receiveID(index))
	o.last = WaitAll
	return true
}

// bare tells whether a rank has nothing open, and a message of its own to another host, and a receive, are of the most common kind.
func (o *Ops) bare(size int64, dst, from, tag int32) bool {
	b, r := o.block, o.rank
	return len(o.list) == 0 && r.bare() && r.allUnexpected == 0 && from != AnySource && tag != AnyTag &&
		b.tracer == nil && !b.shared() && size <= b.world.protocols.eagerUpTo && !b.world.neighbours(r.id, dst)
}

// sendNow starts a send to another host, and returns the index of its request.
func (o *Ops) sendNow(buf Buf, dst, source, tag, context int32) uint32 {
	b, r := o.block, o.rank
	index, q := b.sends.take()
	q.owner = o.owner(isSend)
	var e op
	e.kind, e.request, e.how = Send, sendID(index), eager
	e.source, e.dst, e.tag, e.context = source, dst, tag, context
	e.size, e.sent = buf.size, r.clock
	if len(buf.data) > 0 {
		e.payload = o.stow(buf.data)
	}
	copied := b.world.spec.OneCopy
	b.charge(r, b.callCost(buf.size, copied))
	e.post = r.clock
	if copied {
		q.completeAt(e.post)
		e.request = 0
	}
	b.send(r, &e)
	return index
}
