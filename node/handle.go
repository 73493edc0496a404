package node

import (
	"fabricast/fabric"
	"fabricast/internal/units"
	"fmt"
)

// deal handles an arrived message that is not for the matching. keeper is the rank that keeps the
// messages of its host. No rank's processor takes part.
func (b *Block) deal(keeper *rank, id fabric.MsgID, m *fabric.Message) {
	switch kind := kindOf(m); kind {
	case rendezvousClear:
		b.rendezvous.sendData(id)
	case rendezvousData:
		b.takeData(id, m)
	case rendezvousDone:
		b.completeSend(b.transport.Extra(id).Local, arrival(m))
		b.transport.Release(id)
	case putData:
		b.putComesIn(keeper, id, m)
	case accessDone:
		handle, at := m.Payload, arrival(m)
		b.transport.Release(id)
		b.finishAccess(completion{handle, at})
	case getRequest:
		b.finishAccess(b.rma.getRequested(id, m))
	case getData:
		b.finishAccess(b.rma.getComesIn(id, m))
	case atomicOp:
		b.finishAccess(b.rma.changeWord(id, m))
	case atomicFound:
		b.finishAccess(b.rma.wordComesIn(id, m))
	case sumData, exchangeData:
		b.finishAccess(b.rma.combine(keeper, id, m))
	case lockRequest:
		b.giveLock(b.rma.lockRequested(id, m))
	case lockRelease:
		b.giveLock(b.rma.lockReleased(id, m))
	case cancelRequest:
		b.cancelRequested(keeper, id, m)
	case cancelAnswer:
		b.cancelAnswered(id, m)
	default:
		panic(fmt.Sprintf("a message of kind %d", kind))
	}
}

// takeData completes the receive of a rendezvous whose data has arrived.
func (b *Block) takeData(id fabric.MsgID, m *fabric.Message) {
	x, at := b.transport.Extra(id), arrival(m)
	q := b.requests.receives.at(indexOf(x.Remote))
	slot := q.slot()
	r := &b.ranks[slot]
	r.counters.receivedMessages++
	r.counters.receivedBytes += m.Size
	b.stats.in(m.Context)
	b.stats.delivered(b.shared.sourceOf(m), r.id, m.Tag, m.Size, m.Sent, at)
	b.times.posted = m.Sent
	b.rendezvous.end(id)
	q.completeAt(at)
	resumed := q.awaited() && r.state != failed && b.arrived(r, q)
	b.times.posted = 0
	if resumed {
		b.run(r, slot)
	}
}

// putComesIn ends a put, all of whose data has reached the rank's memory. Receives can find it from
// then on, in the order of issue.
func (b *Block) putComesIn(keeper *rank, id fabric.MsgID, m *fabric.Message) {
	x := b.transport.Extra(id)
	slot := b.shared.slot(x.Rank)
	r, source := &b.ranks[slot], b.shared.communicators.worldRank(m.Context, m.SrcRank)
	if m.Left != held && !b.rma.putData(r, source, id, m, x) {
		b.transport.Release(id)
		return
	}
	finish, at := uint32(0), arrival(m)
	if local(m) {
		finish = x.Local
	}
	if m.Tag == NoTag {
		r.counters.receivedMessages++
		r.counters.receivedBytes += m.Size
		b.transport.Release(id)
	} else if local(m) || !b.shared.spec.Overtaking || b.rma.puts.inTurn(keeper, pair{source, r.id}, id, m) {
		u := unexpected{
			at: at, size: m.Size, slot: slot, source: m.SrcRank, tag: m.Tag, context: m.Context,
			payload: m.Payload,
		}
		sent := m.Sent
		b.transport.Release(id)
		if b.arriveSent(r, &u, sent) {
			b.run(r, slot)
		}
	}
	b.finishAccess(completion{finish, at})
}

// giveLock grants a region's lock to waiting requests, as long as it can be granted. A nil region
// has no effect.
func (b *Block) giveLock(g *region) {
	for g != nil && g.lock.free(b.transport) {
		b.finishAccess(b.rma.grant(&g.lock))
	}
}

// finishAccess completes a one-sided operation of one of the block's ranks. It resumes the rank if
// it no longer has to wait.
func (b *Block) finishAccess(c completion) {
	if c.handle == 0 {
		return
	}
	q := b.requests.of(c.handle)
	slot := q.slot() // which the request forgets when it is given back
	if r := &b.ranks[slot]; b.waiting.completes(r, c.handle, q, c.at) && b.waiting.recheck(r) {
		b.run(r, slot)
	}
}

// cancelRequested cancels a message, and makes the NIC answer whether it was there.
func (b *Block) cancelRequested(keeper *rank, id fabric.MsgID, m *fabric.Message) {
	x := b.transport.Extra(id)
	slot, isLocal := b.shared.slot(x.Rank), local(m)
	if b.shared.spec.Overtaking && !isLocal && !b.order.inTurn(keeper, pair{m.SrcRank, x.Rank}, id, m) {
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
