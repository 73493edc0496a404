package node

// settle accounts for a request that a WaitAll of the rank waits for, now that it is
// known when it completes.
//
// Receives are charged one by one in order of arrival: those that are complete
// when the wait begins have arrived before the others. Sends only hold up the end of
// the wait, so the latest of them is all that matters.
func (b *Block) settle(r *rank, id uint32, q *request) {
	if !q.send() {
		b.settleReceive(r, b.receives.at(indexOf(id)))
		return
	}
	r.sendsDone = max(r.sendsDone, q.done)
	if isReceiveID(id) {
		r.message = Envelope{Size: b.receives.at(indexOf(id)).size}
	}
}

// settleReceive accounts for a receive that has completed.
func (b *Block) settleReceive(r *rank, q *receive) {
	if b.tracer != nil {
		b.tracer.receives(b, q)
	}
	if since := r.clock; q.done > since {
		b.advance(r, q.done)
		if b.waits != nil {
			b.divide(r, since, q.size)
		}
	}
	b.charge(r, b.callCost(q.size, b.world.spec.OneCopy != q.otherwise() && !ofPuts(q.context))) // puts are not copied
	r.message = q.envelope()
}

// callCost is the software time of a send or of completing a receive, in ps.
func (b *Block) callCost(size int64, copied bool) int64 {
	if copied {
		return b.world.spec.Overhead + b.world.copyTime(size)
	}
	return b.world.spec.Overhead
}

// pollCost is the software time that a failed test or an iprobe takes, in ps.
func (b *Block) pollCost() int64 {
	const least = 1000 // 1 ns: a polling loop must get on
	return max(b.world.spec.Overhead, least)
}

// evaluate looks at the operation for which the program returned. It gives the
// outcome to ops and returns true if the program may go on, and blocks the rank otherwise.
func (b *Block) evaluate(r *rank) bool {
	o := &b.ops
	switch o.last {
	case WaitAll:
		return b.beginWaitAll(r)
	case WaitAny:
		return b.beginWaitAny(r)
	case Test:
		b.block(r, Test, o.waits)
		r.patience = o.patience
		return b.testDone(r)
	case Probe, Iprobe:
		r.probe, r.message.Source, r.message.Tag = o.probe.context, o.probe.source, o.probe.tag
		r.state, r.patience = o.last, o.patience
		return b.probeDone(r)
	case Exit:
		b.exit(r)
		return false
	case failed:
		b.fail(r, r.clock, o.err)
		return false
	}
	return true
}

// block notes that the rank waits for requests, which are marked as such.
func (b *Block) block(r *rank, state Kind, ids []uint32) {
	r.state = state
	r.chain = 0
	for i := len(ids) - 1; i >= 0; i-- {
		b.request(ids[i]).chain = r.chain
		r.chain = ids[i]
	}
}

// unblock forgets what the rank waited for.
func (b *Block) unblock(r *rank) {
	r.state = Sync
	for id := r.chain; id != 0; {
		q := b.request(id)
		q.owner &^= isWaited
		id, q.chain = q.chain, 0
	}
	r.chain = 0
}

// beginWaitAll waits for those of ops.waits that the program could not settle itself.
func (b *Block) beginWaitAll(r *rank) bool {
	left, end := int32(0), &r.chain
	for _, id := range b.ops.waits {
		q := b.request(id)
		if q.complete() { // the receives among the operations just done may have met their messages
			b.settle(r, id, q)
			b.release(id)
			continue
		}
		left++
		*end, end = id, &q.chain
	}
	*end = 0
	r.state, r.waiting = WaitAll, left
	return b.waitAllDone(r)
}

// waitAllDone ends a WaitAll for which all is known.
func (b *Block) waitAllDone(r *rank) bool {
	if r.waiting > 0 {
		return false
	}
	b.finish(r)
	b.advance(r, r.sendsDone)
	return true
}

// finish gives back the requests that a WaitAll waited for.
func (b *Block) finish(r *rank) {
	r.state = Sync
	for id := r.chain; id != 0; {
		index := indexOf(id)
		if isReceiveID(id) {
			q := b.receives.at(index)
			id = q.chain
			b.receives.put(index, q)
		} else {
			q := b.sends.at(index)
			id = q.chain
			b.sends.put(index, q)
		}
	}
	r.chain = 0
}

// beginWaitAny waits until one of ops.waits has completed.
func (b *Block) beginWaitAny(r *rank) bool {
	b.block(r, WaitAny, b.ops.waits)
	if b.waitAnyDone(r) {
		return true
	}
	for _, id := range b.ops.waits {
		if q := b.request(id); q.complete() {
			b.schedule(r, event{at: q.done, kind: recheck})
		}
	}
	return false
}

// firstDone is the one that has completed first, by the time at (ps), among the requests that the
// rank waits for; 0 if none has. At one instant a receive comes before a send, and then the one that the program named first.
func (b *Block) firstDone(r *rank, at int64) (first uint32) {
	for id := r.chain; id != 0; id = b.request(id).chain {
		q := b.request(id)
		if q.complete() && q.done <= at && (first == 0 || q.completesBefore(b.request(first))) {
			first = id
		}
	}
	return first
}

// waitAnyDone ends a WaitAny if one of its requests has completed by now.
func (b *Block) waitAnyDone(r *rank) bool {
	first := b.firstDone(r, b.now)
	if first == 0 {
		return false
	}
	b.unblock(r)
	b.ops.completed = Request{first}
	b.account(r, first)
	return true
}

// completesBefore orders complete requests.
func (q *request) completesBefore(p *request) bool {
	if q.done != p.done {
		return q.done < p.done
	}
	return !q.send() && p.send()
}

// account charges for a single request that has completed.
func (b *Block) account(r *rank, id uint32) {
	if q := b.request(id); q.send() {
		b.advance(r, q.done)
	} else {
		b.settleReceive(r, b.receives.at(indexOf(id)))
	}
}

// testDone ends a Test if one of its requests has completed by the rank's clock.
func (b *Block) testDone(r *rank) bool {
	first := b.firstDone(r, r.clock)
	if first == 0 {
		return false
	}
	b.unblock(r)
	b.ops.completed = Request{first}
	b.account(r, first)
	b.ops.flag = true
	return true
}

// probeDone ends a Probe or Iprobe if there is a matching message.
func (b *Block) probeDone(r *rank) bool {
	id := b.findUnexpected(r, key{b.slotOf(r), r.probe, r.message.Source, r.message.Tag})
	if id == 0 {
		return false
	}
	u := b.unexpected.at(id)
	b.ops.flag = true
	r.message = Envelope{Source: u.source, Tag: u.tag, Size: u.size}
	b.advance(r, u.at)
	if r.state == Iprobe {
		b.charge(r, b.pollCost())
	} else {
		b.charge(r, b.world.spec.Overhead)
	}
	r.state = Sync
	return true
}

// recheck tells whether a blocked rank may go on now that time has passed.
func (b *Block) recheck(r *rank) bool {
	switch r.state {
	case WaitAll:
		return b.waitAllDone(r)
	case WaitAny:
		return b.waitAnyDone(r)
	case Test:
		if b.testDone(r) {
			return true
		}
		b.rouse(r)
	}
	return false
}
