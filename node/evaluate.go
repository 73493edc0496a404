package node

import (
	"cmp"
	"slices"
)

// evaluate handles the operation for which the program returned. It returns true, with the outcome
// in ops, if the program may go on; otherwise it blocks the rank.
func (b *Block) evaluate(r *rank) bool {
	o := &b.ops
	switch o.last {
	case WaitAll:
		return b.waiting.beginWaitAll(r, b.ops.waits)
	case WaitAny:
		return b.waiting.beginWaitAny(r, b.ops.waits)
	case Test:
		b.waiting.on(r, Test, o.waits)
		r.patience = o.patience
		return b.waiting.testDone(r)
	case WaitNext:
		r.state = WaitNext
		return b.waiting.waitNextDone(r)
	case TestNext:
		r.state, r.patience = TestNext, 0
		return b.waiting.testNextDone(r)
	case Probe, Iprobe:
		r.probe, r.message.Source, r.message.Tag = o.probe.context, o.probe.source, o.probe.tag
		r.state, r.patience = o.last, o.patience
		return b.waiting.probeDone(r)
	case paused:
		r.state = paused
		return false
	case Exit:
		b.programs.exit(r)
		return false
	case failed:
		b.failures.fail(r, r.clock, o.err)
		return false
	}
	return true
}

// Watch adds a request to those that WaitNext and TestNext report once it is complete. They return
// `word`, which the program chooses, and free the request. No other operation may wait for it.
func (o *Ops) Watch(id Request, word uint32) {
	if j := o.journal; j.outermost() {
		j.watch(o, id, word)
		return
	}
	q := o.request(id)
	if q.owner&(isWaited|isWatched) != 0 {
		panic(errTwice)
	}
	b := o.block
	if b.watching.watchers == nil {
		b.watching.watchers = make([]watcher, len(b.ranks))
	}
	w := &b.watching.watchers[o.slot]
	index, e := b.watching.watched.alloc()
	e.id, e.word, e.order, e.send = id.ID, word, w.orders, q.send()
	w.orders++
	w.open++
	q.owner |= isWatched
	q.chain = index
	if q.complete() {
		b.watching.reported(q)
	}
}

// Timer starts a request that is complete d ps of computation from now. The rank itself goes on.
func (o *Ops) Timer(d int64) Request {
	if j := o.journal; j.outermost() {
		return j.timer(o, d)
	}
	o.steps++
	b, r := o.block, o.rank
	index, q := b.requests.sends.alloc()
	q.owner = o.owner(isSend)
	if b.ready.used() {
		if l := b.logs.of(o.slot); l != nil {
			l.Timed(Request{sendID(index)}, d)
		}
		o.addWork(timed, sendID(index), d)
		return Request{sendID(index)}
	}
	at := r.clock + d
	if b.clocks.noise != nil {
		at = b.clocks.noise.work(r.id, r.clock, d)
	}
	if uint64(at) > latest {
		panic(errLate)
	}
	r.counters.compute += at - r.clock
	q.completeAt(at)
	if l := b.logs.of(o.slot); l != nil {
		l.Timed(Request{sendID(index)}, d)
	}
	return Request{sendID(index)}
}

// WaitNext waits until one of the watched requests is complete. Word then returns its word. Of
// several complete requests it takes the one that completed first. Of receives that complete at one
// instant, a rank that waits takes the one whose message arrives first in the order of events, which
// no number of workers changes. A rank that was busy takes the one that was watched first. If
// WaitNext returns false, the answer is already known. At least one request must be watched.
func (o *Ops) WaitNext() (wait bool) {
	if j := o.journal; j.outermost() {
		return j.next(o, callWaitNext)
	}
	o.steps++
	if len(o.list) == 0 && o.block.waiting.nextDone(o.rank, o.slot, o.block.schedule.now) {
		return false
	}
	o.last = WaitNext
	return true
}

// TestNext asks whether one of the watched requests has completed before the rank's clock. Flag
// then returns the answer, and Word the word of the request that completed first. If it returns
// false, the answer is already known. Asking costs no time. A completion at exactly the rank's
// clock does not count: whether it were known would depend on the order of simultaneous events.
func (o *Ops) TestNext() (wait bool) {
	if j := o.journal; j.outermost() {
		return j.next(o, callTestNext)
	}
	o.steps++
	o.block.stats.looks++
	if o.block.watching.watchers == nil || o.block.watching.watchers[o.slot].empty() {
		o.block.waiting.outcome.flag = false
		return false
	}
	if len(o.list) == 0 &&
		o.block.waiting.nextDone(o.rank, o.slot, min(o.block.schedule.now, o.rank.clock-1)) {
		o.block.waiting.outcome.flag = true
		return false
	}
	o.last = TestNext
	return true
}

// Word returns the word of the request that ended a WaitNext or TestNext.
func (o *Ops) Word() uint32 {
	word := o.block.waiting.outcome.word
	if o.journal != nil {
		return uint32(o.journal.answer(callWord, int64(word)))
	}
	return word
}

// Patience makes the next Test or Iprobe stand for 2^doublings of them in a row, but for at most 1
// ms of them. If something arrives for the rank, it is woken at the time of the first poll that
// follows.
func (o *Ops) Patience(doublings int32) { o.patience = doublings }

// Roused reports whether a Test or Iprobe with Patience has ended early.
func (o *Ops) Roused() bool {
	roused := o.block.waiting.outcome.roused
	if o.journal != nil {
		return o.journal.answer(callRoused, truth(roused)) != 0
	}
	return roused
}

// openWatches returns the watched requests whose completion time is not known, by rank, in the
// order in which they were named. No block may be running.
func (w *World) openWatches() map[int32][]uint32 {
	open := map[int32][]uint32{}
	for _, b := range w.blocks.all() {
		if b.watching.watchers == nil {
			continue
		}
		note := func(q *request, id uint32) {
			if q.watched() && !q.complete() {
				rank := b.ranks[q.slot()].id
				open[rank] = append(open[rank], id)
			}
		}
		for i := range b.requests.sends.size() {
			note(b.requests.sends.at(i), sendID(i))
		}
		for i := range b.requests.receives.size() {
			note(&b.requests.receives.at(i).request, receiveID(i))
		}
		for i := range b.ranks {
			order := func(id uint32) uint32 { return b.watching.watched.at(b.requests.of(id).chain).order }
			slices.SortFunc(
				open[b.ranks[i].id],
				func(x, y uint32) int { return cmp.Compare(order(x), order(y)) },
			)
		}
	}
	return open
}
