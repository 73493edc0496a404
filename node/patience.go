package node

// Endless is the number of doublings that makes a Test or Iprobe wait for an arrival for the rank
// without limit, so that a run in which nothing can arrive any more ends.
const Endless = 50

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

// longestPatience is the longest time that a rank polls (ps), unless Endless.
const longestPatience = 1_000_000_000

// looks returns the time (ps) of 2^doublings polls of a cost (ps), or of fewer polls if that is
// longer than longestPatience.
func looks(cost int64, doublings int32) int64 {
	if most := max(1, longestPatience/cost); most < 1<<doublings {
		return most * cost
	}
	return cost << doublings
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
