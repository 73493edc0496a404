package node

import "fabricast/internal/units"

import "fabricast/fabric"

// A send is cancelled where its message waits for a receive. The sender's NIC sends a question
// behind the message, and the receiver's NIC answers whether no receive has met the message. If so,
// the message counts as never sent.
//
// The message of a rendezvous is identified by its send, which cannot complete before the message
// has met its receive. An eager message may outlive its send, so it has a name (Options.Name).

// Indexes of Extra.Value: the name of a message that may be cancelled. A question also holds the
// message's other identification. An answer holds the send, and whether the message was cancelled.
const (
	valueName  = 2
	valueSend  = 0
	valueTag   = 1
	valueTaken = 1
)

// CancelSend cancels a send to world rank dst, given by the arguments of Send, if no receive has
// met it. send is 0 if that request has already been freed. The returned request completes when the
// NIC at the other end has answered. told.Size is then 1 if the message was cancelled (the send is
// complete, too), and 0 if it has met a receive. The caller owns told; told and the send must stay
// valid until then.
func (o *Ops) CancelSend(send Request, told *Told, dst, source, tag, context int32, name uint32) Request {
	if j := o.journal; j.outermost() {
		return j.cancelSend(o, send, told, dst, source, tag, context, name)
	}
	id, q := o.oneSided.fetching()
	o.block.requests.tell(q, o.keep(nil), told)
	_, x := o.oneSided.begin(cancelRequest, id, &Access{Rank: dst, Place: int64(context)}, int64(source))
	x.code = int64(name)
	x.value = [2]int64{valueSend: int64(send.ID), valueTag: int64(tag)}
	return Request{id}
}

// cancelRequested cancels a message, and makes the NIC answer whether it was there.
func (b *Block) cancelRequested(keeper *rank, id fabric.MsgID, m *fabric.Message) {
	x := b.transport.Extra(id)
	slot, isLocal := b.world.slot(x.Rank), local(m)
	if b.world.spec.Overtaking && !isLocal && !b.order.inTurn(keeper, pair{m.SrcRank, x.Rank}, id, m) {
		return
	}
	k := key{slot, int32(x.Place), int32(x.Length), int32(x.Value[valueTag])}
	handle, send, at := x.Local, uint32(x.Value[valueSend]), arrival(m)
	taken := b.rendezvous.takeBack(k, sendOf{m.SrcRank, send}, uint32(x.Value[valueName]))
	if !isLocal {
		reply, answer := b.outbox.reply(m, b.schedule.now)
		answer.Flags |= cancelAnswer
		e := b.transport.Attach(reply)
		e.Local, e.Value[valueSend], e.Value[valueTaken] = handle, int64(send), taken
	}
	b.transport.Release(id)
	if isLocal {
		b.endCancel(handle, send, taken, at)
	}
}

// cancelAnswered handles the answer to a cancel.
func (b *Block) cancelAnswered(id fabric.MsgID, m *fabric.Message) {
	x, at := b.transport.Extra(id), arrival(m)
	handle, send, taken := x.Local, uint32(x.Value[valueSend]), x.Value[valueTaken]
	b.transport.Release(id)
	b.endCancel(handle, send, taken, at)
}

// endCancel completes a cancel, and the send that it has cancelled.
func (b *Block) endCancel(handle, send uint32, taken, at int64) {
	q := b.requests.receives.at(indexOf(handle))
	b.journal.answered(b.requests.buffer(q), taken)
	_, told := b.requests.takeBuffer(q)
	told.Size = units.Bytes(taken)
	if taken != 0 && send != 0 && !b.requests.of(send).complete() {
		b.completeSend(send, at)
	}
	b.finishAccess(completion{handle, at})
}

// takeBack removes the message of a send from those that wait for a receive. It returns 1 if the
// message was there, otherwise 0.
func (v *rendezvous) takeBack(k key, of sendOf, name uint32) int64 {
	r := &v.ranks[k.rank]
	for id := range v.matching.unexpectedOf(r) {
		u := v.matching.unexpected.at(id)
		if u.key() != k || !v.isOf(u, of, name) {
			continue
		}
		v.matching.removeUnexpected(r, id)
		if u.payload != 0 {
			v.journal.dropped(u.payload)
			v.world.payloads.drop(u.payload)
		}
		if u.asks() && !u.local {
			v.transport.Release(fabric.MsgID(u.request))
		}
		v.matching.unexpected.release(id)
		return 1
	}
	return 0
}

// isOf reports whether a message belongs to a send, or has its name.
func (v *rendezvous) isOf(u *unexpected, of sendOf, name uint32) bool {
	if u.asks() {
		return v.askedBy(u) == of
	}
	return u.named && u.request == name
}
