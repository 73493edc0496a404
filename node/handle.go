package node

import (
	"fmt"

	"fabricast/fabric"
	"fabricast/internal/units"
	"fabricast/node/internal/core"
	"fabricast/node/internal/model"
	"fabricast/node/internal/observe"
	"fabricast/node/internal/onesided"
	"fabricast/node/internal/schedule"
)

// handle handles an arrived message that does not take part in matching; no rank's processor is
// involved. keeper is the rank whose record holds the arrivals of the host.
func (b *Block) handle(keeper *core.Rank, id fabric.MsgID, m *fabric.Message) {
	switch kind := core.KindOf(m); kind {
	case core.RendezvousClear:
		x := b.transport.Extra(id)
		via, late := core.AnsweredAt(x)
		b.clocks.Tracer.Answered(x.Local, via, late)
		b.rendezvous.SendData(id)
	case core.RendezvousData:
		b.takeData(id, m)
	case core.RendezvousDone:
		b.completeSend(b.transport.Extra(id).Local, core.Arrival(m))
		b.transport.Release(id)
	case core.PutData:
		b.putArrived(keeper, id, m)
	case core.AccessDone:
		handle, at := m.Payload, core.Arrival(m)
		b.transport.Release(id)
		b.finishAccess(core.Completion{Handle: handle, At: at})
	case core.GetRequest:
		b.finishAccess(b.rma.GetRequested(id, m))
	case core.GetData:
		b.finishAccess(b.rma.GetArrived(id, m))
	case core.AtomicRequest:
		b.finishAccess(b.rma.ChangeWord(id, m))
	case core.AtomicAnswer:
		b.finishAccess(b.rma.WordArrived(id, m))
	case core.AccumulateData, core.ExchangeData:
		b.finishAccess(b.rma.Combine(keeper, id, m))
	case core.LockRequest:
		b.giveLock(b.rma.LockRequested(id, m))
	case core.LockRelease:
		b.giveLock(b.rma.LockReleased(id, m))
	case core.CancelRequest:
		b.cancelRequested(keeper, id, m)
	case core.CancelAnswer:
		b.cancelAnswered(id, m)
	default:
		panic(fmt.Sprintf("a message of kind %d", kind))
	}
}

// takeData completes the receive of a rendezvous whose data has arrived.
func (b *Block) takeData(id fabric.MsgID, m *fabric.Message) {
	x, at := b.transport.Extra(id), core.Arrival(m)
	q := b.requests.Receives.At(core.IndexOf(x.Remote))
	slot := q.Slot()
	r := &b.ranks[slot]
	r.Counters.ReceivedMessages++
	r.Counters.ReceivedBytes += m.Size
	b.stats.In(m.Context)
	b.stats.Delivered(b.shared.SourceOf(m), r.ID, m.Tag, m.Size, m.Sent, at)
	b.times.Posted = m.Sent
	b.dataArrives(m, x)
	index := core.IndexOf(x.Remote)
	b.rendezvous.End(id)
	q.CompleteAt(at)
	resumed := q.Awaited() && r.State != model.Failed && b.arrived(r, index, q)
	b.times.Posted = 0
	if resumed {
		b.run(r, slot)
	}
}

// dataArrives records the cause for which the receive of a rendezvous completes.
func (b *Block) dataArrives(m *fabric.Message, x *fabric.Extra) {
	via, late := core.AnsweredAt(x)
	b.clocks.Tracer.Arrives(observe.Cause{
		Kind: observe.CauseData, Late: late, Peer: b.shared.SourceOf(m), Tag: m.Tag, Context: m.Context, Size: m.Size,
		From: m.Sent, Via: via,
	})
	b.clocks.Tracer.Meets(core.IndexOf(x.Remote))
}

// putArrived completes a put whose data is entirely in the rank's memory. From then on receives can
// match the put, in the order of issue.
func (b *Block) putArrived(keeper *core.Rank, id fabric.MsgID, m *fabric.Message) {
	x := b.transport.Extra(id)
	slot := b.shared.Slot(x.Rank)
	r, source := &b.ranks[slot], b.shared.Communicators.WorldRank(m.Context, m.SrcRank)
	if m.Left != fabric.KeptBack && !b.rma.PutData(r, source, id, m, x) {
		b.transport.Release(id)
		return
	}
	finish, at := uint32(0), core.Arrival(m)
	if core.Local(m) {
		finish = x.Local
	}
	if m.Tag == model.NoTag {
		r.Counters.ReceivedMessages++
		r.Counters.ReceivedBytes += m.Size
		b.transport.Release(id)
	} else if core.Local(m) || !b.shared.Spec.Overtaking || b.rma.Puts.InTurn(keeper, schedule.Pair{From: source, To: r.ID}, id, m) {
		u := core.Unexpected{
			At: at, Size: m.Size, Slot: slot, Source: m.SrcRank, Tag: m.Tag, Context: m.Context,
			Payload: m.Payload,
		}
		sent := m.Sent
		b.transport.Release(id)
		b.clocks.Tracer.Arrives(observe.Cause{
			Kind: observe.CauseMessage, Peer: source, Tag: u.Tag, Context: u.Context, Size: u.Size, From: sent,
		})
		if b.arriveSent(r, &u, sent) {
			b.run(r, slot)
		}
	}
	b.finishAccess(core.Completion{Handle: finish, At: at})
}

// giveLock grants a region's lock to pending requests for as long as possible. A nil region has no
// effect.
func (b *Block) giveLock(g *onesided.Region) {
	for g != nil && g.Lock.Free(b.transport) {
		b.finishAccess(b.rma.Grant(&g.Lock))
	}
}

// finishAccess completes a one-sided operation of one of the block's ranks. It resumes the rank if
// it is no longer blocked.
func (b *Block) finishAccess(c core.Completion) {
	if c.Handle == 0 {
		return
	}
	q := b.requests.Of(c.Handle)
	slot := q.Slot() // read now, because the request loses it when it is freed
	if r := &b.ranks[slot]; b.waiting.Completes(r, c.Handle, q, c.At) && b.waiting.Recheck(r) {
		b.run(r, slot)
	}
}

// cancelRequested tries to cancel a message that waits for a receive, and makes the NIC reply
// whether it was there.
func (b *Block) cancelRequested(keeper *core.Rank, id fabric.MsgID, m *fabric.Message) {
	x := b.transport.Extra(id)
	slot, isLocal := b.shared.Slot(x.Rank), core.Local(m)
	if b.shared.Spec.Overtaking && !isLocal && !b.order.InTurn(keeper, schedule.Pair{From: m.SrcRank, To: x.Rank}, id, m) {
		return
	}
	k := core.Key{Rank: slot, Context: int32(x.Place), Source: int32(x.Length), Tag: int32(x.Value[core.ValueTag])}
	handle, send, at := x.Local, uint32(x.Value[core.ValueSend]), core.Arrival(m)
	taken := b.rendezvous.TakeBack(k, core.SendOf{Rank: m.SrcRank, Request: send}, uint32(x.Value[core.ValueName]))
	if !isLocal {
		reply, answer := b.outbox.Reply(m, b.schedule.Now)
		answer.Flags |= core.CancelAnswer
		e := b.transport.Attach(reply)
		e.Local, e.Value[core.ValueSend], e.Value[core.ValueTaken] = handle, int64(send), taken
	}
	b.transport.Release(id)
	if isLocal {
		b.endCancel(handle, send, taken, at)
	}
}

// cancelAnswered handles the reply to a cancel request.
func (b *Block) cancelAnswered(id fabric.MsgID, m *fabric.Message) {
	x, at := b.transport.Extra(id), core.Arrival(m)
	handle, send, taken := x.Local, uint32(x.Value[core.ValueSend]), x.Value[core.ValueTaken]
	b.transport.Release(id)
	b.endCancel(handle, send, taken, at)
}

// endCancel completes a cancel request, and the send if it has been canceled.
func (b *Block) endCancel(handle, send uint32, taken, at int64) {
	q := b.requests.Receives.At(core.IndexOf(handle))
	b.journal.Answered(b.requests.Buffer(q), taken)
	_, delivery := b.requests.TakeBuffer(q)
	delivery.Size = units.Bytes(taken)
	if taken != 0 && send != 0 && !b.requests.Of(send).Complete() {
		b.completeSend(send, at)
	}
	b.finishAccess(core.Completion{Handle: handle, At: at})
}
