package node

import "fabricast/fabric"

// inTurns takes over what the rank's program has emitted and asks for. It returns false if the
// rank goes on when all that has had its turn.
func (b *Block) inTurns(r *rank, slot int32) (evaluate bool) {
	o := &b.ops
	if o.apart {
		for i := range o.list {
			b.becomeReady(r, slot, &o.list[i], o.oneSided.remotes, true)
		}
		return true
	}
	if len(o.list) == 0 {
		return true
	}
	c := &b.ready.chains[slot]
	c.ops, c.remotes = append(c.ops[:0], o.list...), append(c.remotes[:0], o.oneSided.remotes...)
	c.waits = append(c.waits[:0], o.waits...)
	c.next, c.last, c.probe, c.patience, c.err = 0, o.last, o.probe, o.patience, o.err
	r.state = takingTurns
	b.goOnInTurn(r, slot)
	return false
}

// goOnInTurn makes the next operation of a rank's chain ready. After the last one the rank does what
// its program has asked for then, and its program goes on if it may.
func (b *Block) goOnInTurn(r *rank, slot int32) {
	c := &b.ready.chains[slot]
	if c.next < len(c.ops) {
		c.next++
		b.becomeReady(r, slot, &c.ops[c.next-1], c.remotes, false)
		return
	}
	o := &b.ops
	o.rank, o.slot, o.list = r, slot, o.list[:0]
	o.waits = append(o.waits[:0], c.waits...)
	o.last, o.probe, o.patience, o.err = c.last, c.probe, c.patience, c.err
	r.state = Sync
	if b.evaluate(r) {
		b.run(r, slot)
	}
}

// becomeReady makes an operation of a rank ready, from when the processor is free.
func (b *Block) becomeReady(r *rank, slot int32, o *op, remotes []remote, apart bool) {
	if o.kind == Send && b.shared.spec.NICsPerHost > 1 && !b.shared.neighbours(r.id, o.dst) {
		o.nic = uint16(1 + b.outbox.chooseNIC(r, o, b.shared.host(o.dst)))
	}
	b.ready.add(slot, max(r.clock, b.schedule.now), o, remotes, apart)
}

// come takes over a message from the network that is for the matching.
func (b *Block) come(host int32, id fabric.MsgID, at int64) {
	m := b.transport.Message(id)
	m.Post, m.Next = at, 0
	slot := b.shared.slotAt[host]
	if b.shared.several {
		slot = b.shared.slotOf[b.transport.Extra(id).Rank]
	}
	b.ready.queues[slot].push(readyItem{at: at, number: b.ready.numbers[id], message: id})
	if b.schedule.waking != host {
		b.schedule.setTimerInTurn(host)
	}
}

// serve gives a host's processors to what comes first. It returns false if that is in the future.
func (b *Block) serve(first, end int32, now int64) bool {
	item, slot := b.ready.first(first, end)
	if item == nil || item.at > now {
		return false
	}
	r, x := &b.ranks[slot], b.ready.queues[slot].pop()
	if at := b.free(r, &x); at > now {
		x.at = at
		b.ready.queues[slot].push(x)
		return true
	}
	if x.message != 0 {
		b.takeIn(r, slot, &b.ranks[first], x.message)
		return true
	}
	o := *b.ready.ops.at(x.op)
	b.ready.ops.release(x.op)
	b.carryOut(r, slot, &o)
	switch {
	case r.state == failed:
	case !o.apart:
		b.goOnInTurn(r, slot)
	case b.waiting.recheck(r):
		b.run(r, slot)
	}
	return true
}

// free returns from when a rank's processor, and the NIC if it needs one, are free for something
// (ps).
func (b *Block) free(r *rank, x *readyItem) int64 {
	if x.message != 0 {
		m := b.transport.Message(x.message)
		at := b.processors.free[m.Dst-b.processors.firstNIC]
		if r.state == Exit || r.state == failed {
			return at
		}
		return max(at, r.clock)
	}
	switch o := &b.ready.ops.at(x.op).op; {
	case o.kind == Recv || o.kind == timed:
		return 0
	case o.kind == Send && !b.shared.neighbours(r.id, o.dst):
		return max(r.clock, *b.ready.nic(r, o))
	}
	return r.clock
}

// carryOut does an operation whose turn it is.
func (b *Block) carryOut(r *rank, slot int32, o *readyOp) {
	now := b.schedule.now
	if o.op.started != 0 {
		b.completeSend(o.op.started, now)
	}
	if o.op.kind != Recv && o.op.kind != timed {
		b.clocks.advance(r, now)
	}
	b.ops.slot = slot
	switch o.op.kind {
	case computed:
		b.computeInTurn(r, slot, &o.op)
	case timed:
		at := max(now, r.clock)
		if b.clocks.noise != nil {
			at = b.clocks.noise.work(r.id, at, o.op.size)
		} else {
			at += o.op.size
		}
		if uint64(at) > latest {
			panic(errLate)
		}
		r.counters.compute += at - max(now, r.clock)
		b.completeSend(o.op.request, at)
	case Recv:
		o.op.post = now
		b.receive(r, &o.op)
	case Send:
		b.sendInTurn(r, slot, &o.op)
	default:
		b.chargeAccess(r, &o.op, &o.remote)
		b.rma.start(r, slot, &o.op, &o.remote)
	}
}

// computeInTurn has the rank compute. The request of a computation, if it has one, is complete when
// it begins.
func (b *Block) computeInTurn(r *rank, slot int32, o *op) {
	begin := r.clock
	r.counters.compute += b.clocks.spend(r, o.size)
	if b.clocks.tracer != nil {
		b.clocks.tracer.computed(r, slot, begin)
	}
	if o.request != 0 {
		b.completeSend(o.request, begin)
	}
}

// sendInTurn starts a send. One that is eager is complete at once.
func (b *Block) sendInTurn(r *rank, slot int32, o *op) {
	now, spec := b.schedule.now, b.shared.spec.Processor
	o.sent = now
	b.chargeSend(r, slot, o)
	o.post = r.clock
	if !b.shared.neighbours(r.id, o.dst) {
		b.clocks.charge(r, spec.sending(o.size))
		*b.ready.nic(r, o) = now + int64(spec.Gap) + int64(spec.NICPerByte.Of(more(o.size)))
	}
	id := o.request
	done := o.how < synchronous
	if done {
		o.request = 0
	}
	b.send(r, o)
	if done {
		b.completeSend(id, now)
	}
}

// Behind reports whether operations that have been emitted have not been carried out yet, so that
// Now is not up to date. A program that wants to know the time then returns from Resume first.
func (o *Ops) Behind() bool { return o.block.ready.used() && len(o.list) > 0 }

// Turns reports whether operations wait for their turn to have the processor, see Processor.
func (o *Ops) Turns() bool { return o.block.ready.used() }

// Apart has the operations of this call of Resume become ready at once, not one after another. It
// is for programs that watch the requests of their operations. REQUIRES: Turns.
func (o *Ops) Apart() { o.apart = true }

// Work starts a computation of d ps, whose request is complete when it begins. REQUIRES: Apart.
func (o *Ops) Work(d int64) Request {
	o.steps++
	index, q := o.block.requests.sends.alloc()
	q.owner = o.owner(isSend)
	if l := o.block.logs.of(o.slot); l != nil {
		l.Computed(d)
	}
	o.addWork(computed, sendID(index), d)
	return Request{sendID(index)}
}

// Starts returns a request that is complete when the latest operation starts. REQUIRES: Apart.
func (o *Ops) Starts() Request {
	index, q := o.block.requests.sends.alloc()
	q.owner = o.owner(isSend)
	o.list[len(o.list)-1].started = sendID(index)
	return Request{sendID(index)}
}

// Known reports whether a watched request has completed by now. Word then returns its word.
// REQUIRES: Apart.
func (o *Ops) Known() bool {
	return o.block.waiting.nextDone(o.rank, o.slot, o.block.waiting.processors.present(o.rank))
}
