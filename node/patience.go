package node

import "fabricast/fabric"

// Endless is how many doublings make a Test or Iprobe wait for what comes in for the rank alone, so that a run in which
// nothing can come any more ends.
const Endless = 50

// Patience makes the Test or Iprobe that follows stand for 2^doublings of them, one right after the other, but for no
// more than takes 1 ms: unless something comes in for the rank, which wakes it at the time of the first look that follows.
func (o *Ops) Patience(doublings int32) { o.patience = doublings }

// Roused tells whether a Test or Iprobe with Patience has ended before its time.
func (o *Ops) Roused() bool { return o.roused }

// longestPatience is for how many ps a rank looks at most, unless Endless.
const longestPatience = 1_000_000_000

// looksAgain is when the rank's Test or Iprobe ends for want of an answer, in ps.
func (b *Block) looksAgain(r *rank) int64 {
	if r.patience <= 0 {
		return r.clock + 1
	}
	if r.patience >= Endless {
		return fabric.Forever
	}
	return r.clock + looks(b.pollCost(), r.patience)
}

// looks is the time of 2^doublings looks of a cost, of fewer if that is longer than longestPatience.
func looks(cost int64, doublings int32) int64 {
	if most := max(1, longestPatience/cost); most < 1<<doublings {
		return most * cost
	}
	return cost << doublings
}

// rouse ends the patience of a rank for which something has come in.
func (b *Block) rouse(r *rank) {
	if r.patience <= 0 || !r.asksForPresent() {
		return
	}
	r.patience = -1
	b.setTimer(r)
}

// answerNo ends a Test or Iprobe once the host's time has passed the rank's
// clock: whatever has not come by then came too late.
func (b *Block) answerNo(r *rank) {
	b.unblock(r)
	cost := b.pollCost()
	b.charge(r, max(1, (b.now-r.clock+cost-1)/cost)*cost)
	b.ops.flag, b.ops.roused = false, r.patience < 0
	r.patience = 0
}
