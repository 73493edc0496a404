package node

import "fabricast/internal/units"

// waiting decides what ends the waits of a block's ranks, and computes what the rank then pays.
type waiting struct {
	world      *shared
	requests   *requests
	matching   *matching
	clocks     *clocks
	schedule   *schedule
	processors *processors
	watching   *watching
	times      *waitTimes
	logs       *logs
	outcome    outcome // of the latest wait, for the program that runs
}

// outcome is the result of the operation that a program has waited for.
type outcome struct {
	completed Request // of a WaitAny, a Test or a TestAny
	flag      bool    // of a Test, TestAny, TestNext or Iprobe: the answer
	word      uint32  // of a WaitNext or a TestNext
	roused    bool    // a Test or Iprobe has ended before its time
}

// settle accounts for a request of the rank's WaitAll, once the time of its completion is known.
//
// Receives are charged one by one in the order of arrival. Those complete when the wait begins have
// arrived before the others. Sends only delay the end of the wait, so only the latest of them
// counts.
func (w *waiting) settle(r *rank, id uint32, q *request) {
	if !q.send() {
		w.settleReceive(r, w.requests.receives.at(indexOf(id)))
		return
	}
	r.sendsDone = max(r.sendsDone, q.done)
	if isReceiveID(id) {
		r.message = Envelope{Size: units.Bytes(w.requests.size(w.requests.receives.at(indexOf(id))))}
	}
}

// settleReceive accounts for a receive that has completed.
func (w *waiting) settleReceive(r *rank, q *receive) {
	if w.logs.by != nil {
		w.logs.received(r, q, w.requests.size(q))
	}
	// charged by the processor model
	taken := w.processors.takePart() && q.owner&isAccess == 0 && !ofPuts(q.context)
	if w.clocks.tracer != nil && !taken {
		w.clocks.tracer.receives(q)
	}
	if since := r.clock; q.done > since {
		w.clocks.advance(r, q.done)
		if w.times.by != nil {
			w.times.divide(r, since, w.requests.size(q))
		}
	}
	if taken {
		r.message = w.requests.envelope(q)
		return
	}
	// puts are not copied
	copied := w.world.spec.OneCopy != q.otherwise() && !ofPuts(q.context)
	w.clocks.charge(r, w.clocks.callCost(w.requests.size(q), copied))
	r.message = w.requests.envelope(q)
}

// on records that the rank waits for requests, and marks them.
func (w *waiting) on(r *rank, state Kind, ids []uint32) {
	r.state = state
	r.chain = 0
	for i := len(ids) - 1; i >= 0; i-- {
		w.requests.of(ids[i]).chain = r.chain
		r.chain = ids[i]
	}
}

// end clears what the rank waited for.
func (w *waiting) end(r *rank) {
	r.state = Sync
	for id := r.chain; id != 0; {
		q := w.requests.of(id)
		q.owner &^= isWaited
		id, q.chain = q.chain, 0
	}
	r.chain = 0
}

// beginWaitAll waits for those of ops.waits that the program could not settle itself.
func (w *waiting) beginWaitAll(r *rank, ids []uint32) bool {
	left, end := int32(0), &r.chain
	for _, id := range ids {
		q := w.requests.of(id)
		switch {
		case q.foreseen(r):
			w.schedule.add(r, event{at: q.done, kind: foreseen, ref: indexOf(id)})
		case q.complete(): // the receives among the operations just done may have met their messages
			w.settle(r, id, q)
			w.requests.release(id)
			continue
		}
		left++
		*end, end = id, &q.chain
	}
	*end = 0
	r.state, r.waiting = WaitAll, left
	return w.waitAllDone(r)
}

// waitAllDone ends a WaitAll all of whose requests are settled. It returns false if some are not.
func (w *waiting) waitAllDone(r *rank) bool {
	if r.waiting > 0 || w.processors.takePart() && w.processors.stillSending(r) {
		return false
	}
	w.finish(r)
	w.clocks.advance(r, r.sendsDone)
	return true
}

// finish frees the requests that a WaitAll waited for.
func (w *waiting) finish(r *rank) {
	r.state = Sync
	for id := r.chain; id != 0; {
		index := indexOf(id)
		if isReceiveID(id) {
			q := w.requests.receives.at(index)
			id = q.chain
			w.requests.releaseReceive(index, q)
		} else {
			q := w.requests.sends.at(index)
			id = q.chain
			w.requests.sends.put(index, q)
		}
	}
	r.chain = 0
}

// beginWaitAny waits until one of ops.waits has completed.
func (w *waiting) beginWaitAny(r *rank, ids []uint32) bool {
	w.on(r, WaitAny, ids)
	if w.waitAnyDone(r) {
		return true
	}
	for _, id := range ids {
		if q := w.requests.of(id); q.complete() {
			w.schedule.add(r, event{at: q.done, kind: recheck})
		}
	}
	return false
}

// firstDone returns, of the requests that the rank waits for, the one that completed first, by the
// time `at` (ps); 0 if none has. At one instant a receive precedes a send; of several, the one that
// the program named first counts.
func (w *waiting) firstDone(r *rank, at int64) (first uint32) {
	for id := r.chain; id != 0; id = w.requests.of(id).chain {
		q := w.requests.of(id)
		if q.complete() && q.done <= at && (first == 0 || q.completesBefore(w.requests.of(first))) {
			first = id
		}
	}
	return first
}

// waitAnyDone ends a WaitAny if one of its requests is complete by now.
func (w *waiting) waitAnyDone(r *rank) bool {
	first := w.firstDone(r, w.processors.present(r))
	if first == 0 {
		return false
	}
	w.end(r)
	w.outcome.completed = Request{first}
	w.logs.waitedFor(r, first)
	w.account(r, first)
	return true
}

// account charges for a single request that has completed.
func (w *waiting) account(r *rank, id uint32) {
	if q := w.requests.of(id); q.send() {
		w.clocks.advance(r, q.done)
	} else {
		w.settleReceive(r, w.requests.receives.at(indexOf(id)))
	}
}

// testDone ends a Test if one of its requests has completed by the rank's clock.
func (w *waiting) testDone(r *rank) bool {
	first := w.firstDone(r, r.clock)
	if first == 0 {
		return false
	}
	w.end(r)
	w.outcome.completed = Request{first}
	w.logs.waitedFor(r, first)
	w.account(r, first)
	w.outcome.flag = true
	return true
}

// probeDone ends a Probe or Iprobe if there is a matching message.
func (w *waiting) probeDone(r *rank) bool {
	id := w.matching.findUnexpected(r, key{w.world.slot(r.id), r.probe, r.message.Source, r.message.Tag})
	if id == 0 {
		return false
	}
	u := w.matching.unexpected.at(id)
	w.outcome.flag = true
	w.logs.probed(r, r.message)
	r.message = Envelope{Source: u.source, Tag: u.tag, Size: units.Bytes(u.size)}
	w.clocks.advance(r, u.at)
	if r.state == Iprobe {
		w.logs.spent(r, w.clocks.pollCost()-int64(w.world.spec.Overhead))
		w.clocks.charge(r, w.clocks.pollCost())
	} else {
		w.clocks.charge(r, int64(w.world.spec.Overhead))
	}
	r.state = Sync
	return true
}

// recheck reports whether a blocked rank may go on now that time has passed.
func (w *waiting) recheck(r *rank) bool {
	switch r.state {
	case WaitAll:
		return w.waitAllDone(r)
	case WaitAny:
		return w.waitAnyDone(r)
	case Test:
		if w.testDone(r) {
			return true
		}
		w.schedule.rouse(r)
	case WaitNext:
		return w.waitNextDone(r)
	case TestNext:
		return w.testNextDone(r)
	}
	return false
}

// completes records when a send or a one-sided operation will be complete (ps). It reports whether
// its rank waits for it and may be able to go on.
func (w *waiting) completes(r *rank, id uint32, q *request, at int64) bool {
	q.completeAt(at)
	if q.watched() {
		w.watching.reported(q)
		return r.state == WaitNext || r.state == TestNext
	}
	if !q.waited() || r.state == Sync {
		w.schedule.rouse(r)
		return false // the rank has not been blocked on it, at least not yet
	}
	if r.state == WaitAll {
		w.settle(r, id, q)
		r.waiting--
		return r.waiting == 0
	}
	return true
}

// answerNo ends a Test or Iprobe with the answer no, once the host's time has passed the rank's
// clock: whatever has not arrived by then came too late.
func (w *waiting) answerNo(r *rank) {
	if r.state == TestNext {
		w.answerNext(r)
		return
	}
	w.end(r)
	cost := w.clocks.pollCost()
	d := max(1, (w.schedule.now-r.clock+cost-1)/cost) * cost
	w.logs.spent(r, d)
	w.clocks.charge(r, d)
	w.outcome.flag, w.outcome.roused = false, r.patience < 0
	r.patience = 0
}

// answerNext ends a TestNext once the host's time has reached the rank's clock.
func (w *waiting) answerNext(r *rank) {
	w.outcome.flag = w.nextDone(r, w.world.slot(r.id), r.clock-1)
	r.state = Sync
}
