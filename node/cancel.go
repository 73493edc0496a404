package node

import "fabricast/fabric"

// A send is taken back where its message waits for a receive: the sender's NIC asks the receiver's, behind the message, and
// that tells whether no receive has met it. If so, the message is as if it had never been sent.
//
// The message of a rendezvous is known by its send, which is not complete before it has met its receive. An
// eager message may outlive its send, so it has a name (Options.Name).

// Of Extra.Value: the name of a message that may be taken back; and, in a question, what else it is known by, and in the
// answer the send again, and whether it has been taken back.
const (
	valueName  = 2
	valueSend  = 0
	valueTag   = 1
	valueTaken = 1
)

// CancelSend takes back a send to world rank dst, given by what it was begun with, if no receive has met it. Send is 0 if it
// has been given back already. The request that it returns is complete when the NIC at the other end has answered:
// told.Size is then 1 if the message has been taken back, and the send is complete, too; 0 if it has met a receive. Told
// stays the caller's and must live until then, as must the send.
func (o *Ops) CancelSend(send Request, told *Told, dst, source, tag, context int32, name uint32) Request {
	id, q := o.fetching()
	q.buffer = o.keep(nil)
	o.block.buffers.at(q.buffer).told = told
	_, x := o.access(cancelRequest, id, &Access{Rank: dst, Place: int64(context)}, int64(source))
	x.code = int64(name)
	x.value = [2]int64{valueSend: int64(send.ID), valueTag: int64(tag)}
	return Request{id}
}

// cancelRequested takes a message back, and has the NIC tell whether it has been there.
func (b *Block) cancelRequested(keeper *rank, id fabric.MsgID, m *fabric.Message) {
	x := b.transport.Extra(id)
	slot, isLocal := b.world.slot(x.Rank), local(m)
	if b.world.spec.Overtaking && !isLocal && !b.inTurn(&b.order, keeper, pair{m.SrcRank, x.Rank}, id, m) {
		return
	}
	k := key{slot, int32(x.Place), int32(x.Length), int32(x.Value[valueTag])}
	handle, send, at := x.Local, uint32(x.Value[valueSend]), arrival(m)
	taken := b.takeBack(k, sendOf{m.SrcRank, send}, uint32(x.Value[valueName]))
	if !isLocal {
		reply, answer := b.reply(m)
		answer.Flags |= cancelAnswer
		e := b.transport.Attach(reply)
		e.Local, e.Value[valueSend], e.Value[valueTaken] = handle, int64(send), taken
	}
	b.transport.Release(id)
	if isLocal {
		b.endCancel(handle, send, taken, at)
	}
}

// cancelAnswered hears what has become of a message that was to be taken back.
func (b *Block) cancelAnswered(id fabric.MsgID, m *fabric.Message) {
	x, at := b.transport.Extra(id), arrival(m)
	handle, send, taken := x.Local, uint32(x.Value[valueSend]), x.Value[valueTaken]
	b.transport.Release(id)
	b.endCancel(handle, send, taken, at)
}

// endCancel completes a cancel, and the send that it has taken back.
func (b *Block) endCancel(handle, send uint32, taken, at int64) {
	q := b.receives.at(indexOf(handle))
	b.buffers.at(q.buffer).told.Size = taken
	b.buffers.release(q.buffer)
	q.buffer = 0
	if taken != 0 && send != 0 && !b.request(send).complete() {
		b.completeSend(send, at)
	}
	b.finishAccess(handle, at)
}

// takeBack removes the message of a send from those that wait for a receive; it returns 1 if it was there, otherwise 0.
func (b *Block) takeBack(k key, of sendOf, name uint32) int64 {
	r := &b.ranks[k.rank]
	for id := range b.unexpectedOf(r) {
		u := b.unexpected.at(id)
		if u.key() != k || !b.isOf(u, of, name) {
			continue
		}
		b.removeUnexpected(r, id)
		if u.payload != 0 {
			b.world.payloads.drop(u.payload)
		}
		if u.asks() && !u.local {
			b.transport.Release(fabric.MsgID(u.request))
		}
		b.unexpected.release(id)
		return 1
	}
	return 0
}

// isOf tells whether a message is that of a send, or has its name.
func (b *Block) isOf(u *unexpected, of sendOf, name uint32) bool {
	if u.asks() {
		return b.askedBy(u) == of
	}
	return u.named && u.request == name
}
