package node

import (
	"fmt"

	"fabricast/node/internal/core"
	"fabricast/node/internal/model"
	"fabricast/node/internal/observe"
	"fabricast/node/internal/protocol"
	"fabricast/node/internal/schedule"

	"fabricast/internal/units"

	"fabricast/fabric"
	"fabricast/internal/invariants"
)

// execute executes the operations that the rank's program has emitted.
func (b *Block) execute(r *core.Rank) {
	for i := range b.ops.list {
		o := &b.ops.list[i]
		switch o.Kind {
		case model.Send:
			b.send(r, o)
		case model.Recv:
			b.Receive(r, o)
		default:
			b.rma.Start(r, b.ops.slot, o, &b.ops.oneSided.remotes[o.Remote])
		}
		if r.State == model.Failed {
			return
		}
	}
}

// send passes a message to the network, or to another rank of the host.
func (b *Block) send(r *core.Rank, o *core.Op) {
	r.Counters.SentMessages++
	r.Counters.SentBytes += o.Size
	if b.shared.Neighbours(r.ID, o.Dst) && o.How != core.SwitchedMessage {
		b.sendLocally(r, o)
		return
	}
	nics := int32(b.shared.Spec.NICsPerHost)
	to := b.shared.Host(o.Dst)
	nic := int32(0)
	if nics > 1 {
		nic = b.outbox.ChooseNIC(r, o, to)
	}
	id, m := b.transport.NewMessage()
	m.Src = r.Host*nics + nic
	m.Dst = to*nics + nic
	m.SrcRank, m.Context, m.Tag = o.Source, o.Context, o.Tag
	m.Request, m.Payload = o.Request, o.Payload
	m.Size, m.Sent, m.Post, m.Flags = o.Size, o.Sent, o.Post, o.How
	switch {
	case o.How == core.SwitchedMessage:
		m.SrcRank, m.Order = r.ID, uint16(o.Remote-1)
	case b.shared.Spec.Overtaking:
		m.Order = b.order.Number(r.ID, o.Dst)
	}
	if o.How == core.SwitchedMessage && o.Gap == 0 {
		// switches read nothing beyond the message itself
	} else if o.Gap|o.Remote > 0 || b.shared.Several || o.How >= core.SynchronousMessage {
		x := b.transport.Attach(id)
		x.Gap, x.Rank, x.Value[core.ValueName] = o.Gap, o.Dst, int64(o.Remote)
		if core.Asks(o.How) {
			protocol.Ask(m, x)
		} else if o.How == core.SynchronousMessage {
			x.Local, m.Request = m.Request, 0
		}
	}
	if invariants.Enabled && o.Post < b.schedule.Now {
		panic("a rank has sent a message in the past")
	}
	if b.turns.Used() {
		b.turns.Sent(id)
	}
	if b.outbox.Used() {
		b.outbox.Wait(b.ops.slot, id, m)
	} else {
		b.outbox.Dispatch(id)
	}
}

// sendLocally schedules the arrival of a message on the same host: at the end of its copy for a
// message to the rank itself, and a latency later for a message to another rank.
func (b *Block) sendLocally(r *core.Rank, o *core.Op) {
	at := o.Post
	if o.Dst != r.ID {
		at += int64(b.shared.Spec.Intra.Latency)
	}
	b.stats.In(o.Context)
	b.stats.Delivered(r.ID, o.Dst, o.Tag, o.Size, o.Sent, at)
	id, u := b.matching.Unexpected.Alloc()
	u.At, u.Size, u.Slot, u.Payload = at, o.Size, b.shared.Slot(o.Dst), o.Payload
	u.Source, u.Tag, u.Context = o.Source, o.Tag, o.Context
	switch {
	case o.How >= core.SynchronousMessage:
		u.Request, u.Local = o.Request, true
	case o.Remote != 0:
		u.Request, u.Named = o.Remote, true
	}
	b.clocks.Tracer.Arrives(observe.Cause{
		Kind: observe.CauseMessage, Peer: r.ID, Tag: o.Tag, Context: o.Context, Size: o.Size, From: o.Sent,
	})
	b.clocks.Tracer.Keeps(id)
	b.schedule.Add(r, schedule.Event{At: at, Kind: schedule.LocalArrival, Ref: id})
}

// Receive matches a receive with the first matching unexpected message, or posts it.
func (b *Block) Receive(r *core.Rank, o *core.Op) {
	index := core.IndexOf(o.Request)
	if b.outbox.Used() {
		b.rendezvous.Post(index, o.Post)
	}
	q := b.requests.Receives.At(index)
	k := q.Key()
	found := b.matching.FindUnexpected(r, k)
	if found == 0 {
		b.matching.Post(r, k, index, q)
		return
	}
	b.matching.RemoveUnexpected(r, found)
	b.clocks.Tracer.Finds(found)
	b.meet(r, index, q, b.matching.Unexpected.At(found))
	if q.Watched() && q.Complete() && r.State != model.Failed {
		b.watching.Reported(&q.RequestState)
	}
	b.matching.Unexpected.Release(found)
}

// arriveFromNetwork takes the first arrival of a host from the transport. It resumes the message's
// rank if that can continue. keeper is the rank, in the given slot, whose record holds the arrivals
// of the host.
func (b *Block) arriveFromNetwork(keeper *core.Rank, slot int32) {
	id, m := b.schedule.TakeArrival(keeper)
	if !core.Matched(core.KindOf(m)) {
		b.handle(keeper, id, m)
		return
	}
	r := keeper
	if b.shared.Several {
		slot = b.shared.SlotOf[b.destination(id, m)]
		r = &b.ranks[slot]
	}
	b.takeIn(r, slot, keeper, id)
}

// destination returns the rank that a message is for. Switches name it as the source.
func (b *Block) destination(id fabric.MsgID, m *fabric.Message) int32 {
	if core.Switched(m) {
		return b.shared.Communicators.WorldRank(m.Context, m.SrcRank)
	}
	return b.transport.Extra(id).Rank
}

// takeIn takes a message that needs matching from the transport, for rank r in a slot.
func (b *Block) takeIn(r *core.Rank, slot int32, keeper *core.Rank, id fabric.MsgID) {
	m := b.transport.Message(id)
	kind, source, at := core.KindOf(m), b.shared.SourceOf(m), core.Arrival(m)
	if b.clocks.Tracer != nil {
		b.traceArrival(id, m, source)
	}
	if b.processors.TakePart() && m.Left != fabric.KeptBack {
		at = b.processors.Take(r, m, source)
	}
	if m.Left != fabric.KeptBack && !core.Asks(kind) {
		b.stats.In(m.Context)
		b.stats.Delivered(source, r.ID, m.Tag, m.Size, m.Sent, at)
	}
	if b.shared.Spec.Overtaking && kind != core.SwitchedMessage &&
		!b.order.InTurn(keeper, schedule.Pair{From: source, To: r.ID}, id, m) {
		return
	}
	var u core.Unexpected
	u.Take(m, slot, at)
	sent := m.Sent
	if core.Asks(kind) {
		u.Request, u.Size = uint32(id), b.transport.Extra(id).Length
	} else {
		u.Otherwise = kind == core.EagerOtherCopy
		if kind == core.SynchronousMessage {
			u.Request, u.Local = b.transport.Extra(id).Local, true
		} else if m.Flags&fabric.HasExtra != 0 {
			u.Request = uint32(b.transport.Extra(id).Value[core.ValueName])
			u.Named = u.Request != 0
		}
		b.transport.Release(id)
	}
	if b.arriveSent(r, &u, sent) {
		b.run(r, slot)
	}
}

// traceArrival tells the tracer of a message from world rank source that needs matching.
func (b *Block) traceArrival(id fabric.MsgID, m *fabric.Message, source int32) {
	c := observe.Cause{
		Kind: observe.CauseMessage, Peer: source, Tag: m.Tag, Context: m.Context, Size: m.Size, From: m.Sent,
	}
	if core.Asks(core.KindOf(m)) {
		c.Kind, c.Size = observe.CauseRequest, b.transport.Extra(id).Length
	}
	b.clocks.Tracer.Arrives(c)
}

// arriveSent is like arrive for a message whose send was called at time sent (ps).
func (b *Block) arriveSent(r *core.Rank, u *core.Unexpected, sent int64) bool {
	if b.times.By == nil {
		return b.arrive(r, u)
	}
	b.times.Posted = sent + b.clocks.CallCost(u.Context, u.Tag, u.Size, b.shared.Spec.OneCopy)
	resumed := b.arrive(r, u)
	b.times.Posted = 0
	return resumed
}

// arrive matches an incoming message with the first matching posted receive, or appends it to the
// unexpected-message queue. It reports whether the message unblocks the rank.
func (b *Block) arrive(r *core.Rank, u *core.Unexpected) bool {
	if u.Request == 0 || u.Local || u.Named {
		r.Counters.ReceivedMessages++
		r.Counters.ReceivedBytes += u.Size
	}
	if index, q := b.matching.TakePosted(r, u.Key()); index != 0 {
		b.meet(r, index, q, u)
		if q.Awaited() && q.Complete() && r.State != model.Failed {
			return b.arrived(r, index, q)
		}
		b.schedule.Rouse(r)
		return false
	}
	id, place := b.matching.Unexpected.Alloc()
	*place = *u
	b.clocks.Tracer.Keeps(id)
	b.matching.AddUnexpected(r, id)
	if (r.State == model.Probe || r.State == model.Iprobe) && b.waiting.ProbeDone(r) {
		return true
	}
	b.schedule.Rouse(r)
	return false
}

// arrived reports whether a blocked rank can continue now that receive q, which it waits for, is
// complete.
func (b *Block) arrived(r *core.Rank, index uint32, q *core.ReceiveState) bool {
	switch {
	case q.Watched():
		b.watching.Reported(&q.RequestState)
	case r.State == model.WaitAll:
		b.waiting.SettleReceive(r, index, q)
		r.Waiting--
	}
	return b.recheck(r)
}

// recheck reports whether a rank may continue now, after one of its receives has completed. If the
// sender continues first, recheck makes the rank try again at this instant.
func (b *Block) recheck(r *core.Rank) bool {
	if b.turns.SenderFirst {
		b.schedule.Add(r, schedule.Event{At: b.schedule.Now, Kind: schedule.Recheck})
		return false
	}
	return b.waiting.Recheck(r)
}

// meet completes a receive with its matching message, or starts the transfer of the message's data.
func (b *Block) meet(r *core.Rank, index uint32, q *core.ReceiveState, u *core.Unexpected) {
	var buffer []byte
	var delivery *model.Delivery
	b.journal.MetBy(&b.requests, q, u)
	if b.requests.Buffer(q) != 0 {
		buffer, delivery = b.requests.TakeBuffer(q)
	}
	if size := b.requests.Size(q); u.Size > size && delivery == nil && q.Owner&core.IsCut == 0 {
		b.failures.Fail(r, u.At, &TruncationError{
			Source: int(b.shared.Communicators.WorldRank(u.Context, u.Source)),
			Rank:   int(r.ID), Tag: int(u.Tag), Size: u.Size, Buffer: size,
		})
		return
	}
	mark := b.failures.Deposit(r, u.At, core.ToReceive, buffer, u.Payload)
	if r.State == model.Failed {
		return
	}
	if delivery != nil {
		*delivery = model.Delivery{Envelope: model.Envelope{Source: u.Source, Tag: u.Tag, Size: units.Bytes(u.Size)}, Mark: mark}
	}
	b.requests.SetSize(q, u.Size)
	q.Source, q.Tag = u.Source, u.Tag
	b.clocks.Tracer.Meets(index)
	if u.Request == 0 && !u.Otherwise {
		q.CompleteAt(u.At)
	} else {
		b.meetOtherwise(r, index, u)
	}
}

// meetOtherwise is the part of meet for messages of other protocols or with other copying rules.
func (b *Block) meetOtherwise(r *core.Rank, index uint32, u *core.Unexpected) {
	q := b.requests.Receives.At(index)
	switch {
	case !u.Asks():
		if u.Otherwise {
			q.Owner |= core.IsOtherwise
		}
		q.CompleteAt(u.At)
	case u.Local:
		q.CompleteAt(u.At)
		at := max(u.At, b.rendezvous.Postings[index].At)
		if b.turns.Used() {
			at = b.schedule.Now
			b.turns.SenderFirst = b.ranks[b.requests.Sends.At(core.IndexOf(u.Request)).Slot()].ID < r.ID
		}
		b.clocks.Tracer.Answered(u.Request, at, at > u.At)
		b.completeSend(u.Request, at)
	default:
		if b.shared.Spec.OneCopy {
			q.Owner |= core.IsOtherwise
		}
		b.rendezvous.Clear(r, fabric.MsgID(u.Request), core.ReceiveID(index), u.At)
	}
}

// TruncationError is a message that is longer than the buffer of the matching receive.
type TruncationError struct {
	Source, Rank int // world ranks of the sender and the receiver
	Tag          int
	Size, Buffer int64 // bytes
}

func (e *TruncationError) Error() string {
	return fmt.Sprintf(
		"message truncated: %d bytes from rank %d with tag %d do not fit into the %d bytes that "+
			"rank %d receives into",
		e.Size, e.Source, e.Tag, e.Buffer, e.Rank,
	)
}

// completeSend records the completion time (ps) of a send, which may be in the future.
func (b *Block) completeSend(id uint32, at int64) {
	q := b.requests.Sends.At(core.IndexOf(id))
	if r := &b.ranks[q.Slot()]; b.waiting.Completes(r, id, q, at) {
		b.schedule.Add(r, schedule.Event{At: at, Kind: schedule.Recheck})
	}
}
