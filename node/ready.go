package node

import (
	"fabricast/fabric"
	"fabricast/node/internal/core"
	"fabricast/node/internal/model"
	"fabricast/node/internal/observe"
	"fabricast/node/internal/schedule"
)

// takeChain stores the operations that the rank's program has emitted, and the wait that follows
// them. It returns false if the rank continues only when all operations have had their turn on the
// processor.
func (b *Block) takeChain(r *core.Rank, slot int32) (evaluate bool) {
	o := &b.ops
	if o.apart {
		if len(o.list) > 1 {
			b.turns.Reserve(slot, o.list)
		}
		for i := range o.list {
			b.requestTurn(r, slot, &o.list[i], o.oneSided.remotes, true)
		}
		return true
	}
	if len(o.list) == 0 {
		return true
	}
	c := b.turns.Chain(slot)
	c.Ops, c.Remotes = append(c.Ops[:0], o.list...), append(c.Remotes[:0], o.oneSided.remotes...)
	c.Waits = append(c.Waits[:0], o.waits...)
	c.Next, c.Last, c.Probe, c.Patience, c.Err = 0, o.last, o.probe, o.patience, o.err
	r.State = model.TakingTurns
	b.continueChain(r, slot)
	return false
}

// continueChain makes the next operation of a rank's chain eligible. After the last one it
// evaluates the wait that follows, and resumes the program if possible.
func (b *Block) continueChain(r *core.Rank, slot int32) {
	c := b.turns.Chain(slot)
	if c.Next < len(c.Ops) {
		c.Next++
		b.requestTurn(r, slot, &c.Ops[c.Next-1], c.Remotes, false)
		return
	}
	o := &b.ops
	o.rank, o.slot, o.list = r, slot, o.list[:0]
	o.waits = append(o.waits[:0], c.Waits...)
	o.last, o.probe, o.patience, o.err = c.Last, c.Probe, c.Patience, c.Err
	r.State = model.Sync
	if b.evaluate(r) {
		b.run(r, slot)
	}
}

// requestTurn makes an operation of a rank eligible, as soon as the processor is free.
func (b *Block) requestTurn(r *core.Rank, slot int32, o *core.Op, remotes []core.Remote, apart bool) {
	if o.Kind == model.Send && b.shared.Spec.NICsPerHost > 1 && !b.shared.Neighbours(r.ID, o.Dst) {
		o.Nic = uint16(1 + b.outbox.ChooseNIC(r, o, b.shared.Host(o.Dst)))
	}
	b.turns.Add(slot, max(r.Clock, b.schedule.Now), o, remotes, apart)
}

// queueArrival queues a message from the network that needs matching.
func (b *Block) queueArrival(host int32, id fabric.MsgID, at int64) {
	m := b.transport.Message(id)
	m.Post, m.Next = at, 0
	slot := b.shared.SlotAt[host]
	if b.shared.Several {
		slot = b.shared.SlotOf[b.transport.Extra(id).Rank]
	}
	b.turns.Queues[slot].Push(schedule.TurnItem{At: at, Number: b.turns.Numbers[id], Message: id})
	if b.schedule.Waking != host {
		b.schedule.SetTimerInTurn(host)
	}
}

// serve executes the first item at a host whose slots are first to end-1. It returns false if there
// is none, or if it is in the future.
func (b *Block) serve(first, end int32, now int64) bool {
	item, slot := b.turns.First(first, end)
	if item == nil || item.At > now {
		return false
	}
	b.turns.SenderFirst = false
	r, x := &b.ranks[slot], b.turns.Queues[slot].Pop()
	if at := b.free(r, &x); at > now {
		x.At = at
		b.turns.Queues[slot].Push(x)
		return true
	}
	if request := x.Receive(); request != 0 {
		b.postInTurn(r, slot, request)
		b.postMore(r, first, end, now)
		return true
	}
	if x.Message != 0 {
		b.takeIn(r, slot, &b.ranks[first], x.Message)
		return true
	}
	o := *b.turns.Ops.At(x.Op)
	b.turns.Ops.Release(x.Op)
	b.carryOut(r, slot, &o)
	switch {
	case r.State == model.Failed:
	case !o.Apart:
		b.continueChain(r, slot)
	case b.recheck(r):
		b.run(r, slot)
	}
	return true
}

// postInTurn posts a receive for which no other operation waits.
func (b *Block) postInTurn(r *core.Rank, slot int32, request uint32) {
	b.ops.slot = slot
	b.Receive(r, &core.Op{Kind: model.Recv, Request: request, Post: b.schedule.Now})
	if r.State != model.Failed && b.recheck(r) {
		b.run(r, slot)
	}
}

// postMore posts the receives that are next in turn, if their rank is alone on its host and no
// message can match them. Such a receive changes nothing else, so it need not wait for items of
// other hosts.
func (b *Block) postMore(r *core.Rank, first, end int32, now int64) {
	for end-first == 1 && r.AllUnexpected == 0 && r.State != model.Failed {
		item, _ := b.turns.First(first, end)
		if item == nil || item.At > now || item.Receive() == 0 {
			return
		}
		x := b.turns.Queues[first].Pop()
		b.ops.slot = first
		b.Receive(r, &core.Op{Kind: model.Recv, Request: x.Receive(), Post: now})
	}
}

// free returns the time (ps) from which a rank's processor, and the NIC if needed, are free for an
// item.
func (b *Block) free(r *core.Rank, x *schedule.TurnItem) int64 {
	if x.Receive() != 0 {
		return 0
	}
	if x.Message != 0 {
		m := b.transport.Message(x.Message)
		at := b.processors.Free[m.Dst-b.processors.FirstNIC]
		if r.State == model.Exit || r.State == model.Failed {
			return at
		}
		return max(at, r.Clock)
	}
	switch o := &b.turns.Ops.At(x.Op).Op; {
	case o.Kind == model.Recv || o.Kind == model.Timed:
		return 0
	case o.Kind == model.Send && !b.shared.Neighbours(r.ID, o.Dst):
		return max(r.Clock, *b.turns.Nic(r, o))
	}
	return r.Clock
}

// carryOut executes an operation whose turn has come.
func (b *Block) carryOut(r *core.Rank, slot int32, o *schedule.TurnOp) {
	now := b.schedule.Now
	if o.Op.Started != 0 {
		b.completeSend(o.Op.Started, now)
	}
	if o.Op.Kind != model.Recv && o.Op.Kind != model.Timed {
		b.clocks.Tracer.AwaitsTurn(now)
		b.clocks.Advance(r, now)
	}
	b.ops.slot = slot
	switch o.Op.Kind {
	case model.Computed:
		b.computeInTurn(r, slot, &o.Op)
	case model.Timed:
		at := max(now, r.Clock)
		if b.clocks.Noise != nil {
			at = b.clocks.Noise.Work(r.ID, at, o.Op.Size)
		} else {
			at += o.Op.Size
		}
		if uint64(at) > core.Latest {
			panic(core.ErrLate)
		}
		r.Counters.Compute += at - max(now, r.Clock)
		b.clocks.Tracer.Opened(o.Op.Request, observe.Cause{Kind: observe.CauseTimer, Peer: -1, From: max(now, r.Clock)})
		b.completeSend(o.Op.Request, at)
	case model.Recv:
		o.Op.Post = now
		b.Receive(r, &o.Op)
	case model.Send:
		b.sendInTurn(r, slot, &o.Op)
	default:
		b.chargeAccess(r, &o.Op, &o.Remote)
		b.rma.Start(r, slot, &o.Op, &o.Remote)
	}
}

// computeInTurn executes a computation. Its request, if it has one, is complete when the
// computation starts.
func (b *Block) computeInTurn(r *core.Rank, slot int32, o *core.Op) {
	begin := r.Clock
	r.Counters.Compute += b.clocks.Spend(r, o.Size)
	if b.clocks.Tracer != nil {
		b.clocks.Tracer.Computed(r, slot, begin, o.Size)
	}
	if o.Request != 0 {
		b.completeSend(o.Request, begin)
	}
}

// sendInTurn starts a send. An eager send is complete at once.
func (b *Block) sendInTurn(r *core.Rank, slot int32, o *core.Op) {
	now, spec := b.schedule.Now, b.shared.Spec.Processor
	o.Sent = now
	b.chargeSend(r, slot, o)
	o.Post = r.Clock
	if !b.shared.Neighbours(r.ID, o.Dst) {
		b.clocks.Tracer.Posts() // the message is on its way
		b.clocks.Charge(r, spec.Sending(o.Size))
		*b.turns.Nic(r, o) = now + int64(spec.Gap) + int64(spec.NICPerByte.Of(model.ChargedBytes(o.Size)))
	}
	id := o.Request
	done := o.How < core.SynchronousMessage
	if done {
		o.Request = 0
	}
	b.send(r, o)
	if done {
		b.completeSend(id, now)
	}
}

// Behind reports whether emitted operations have not been executed yet, so that Now is not up to
// date. A program that needs the time then has to return from Resume first.
func (o *Ops) Behind() bool { return o.block.turns.Used() && len(o.list) > 0 }

// Turns reports whether operations have to wait for their turn on the processor, see Processor.
func (o *Ops) Turns() bool { return o.block.turns.Used() }

// Apart makes the operations of this call of Resume eligible at once, instead of one after another.
// It is for programs that watch the requests of their operations. REQUIRES: Turns.
func (o *Ops) Apart() { o.apart = true }

// Work starts a computation of d ps. Its request is complete when the computation starts. REQUIRES:
// Apart.
func (o *Ops) Work(d int64) model.Request {
	o.steps++
	index, q := o.block.requests.Sends.Alloc()
	q.Owner = o.owner(core.IsSend)
	if l := o.block.logs.Of(o.slot); l != nil {
		l.Computed(d)
	}
	o.addWork(model.Computed, core.SendID(index), d)
	return model.Request{ID: core.SendID(index)}
}

// Starts returns a request that is complete when the latest operation starts. REQUIRES: Apart.
func (o *Ops) Starts() model.Request {
	index, q := o.block.requests.Sends.Alloc()
	q.Owner = o.owner(core.IsSend)
	o.list[len(o.list)-1].Started = core.SendID(index)
	return model.Request{ID: core.SendID(index)}
}

// Known reports whether a watched request has completed by now. Word then returns its word.
// REQUIRES: Apart.
func (o *Ops) Known() bool {
	return o.block.waiting.NextDone(o.rank, o.slot, o.block.waiting.Processors.Present(o.rank))
}
