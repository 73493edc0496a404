package node

import "fabricast/fabric"

// Patience makes the Test or Iprobe that follows stand for 2^doublings of them, one right after the other: unless
// something comes in for the rank, which wakes it at the time of the first look that follows. A rank that would look on
// for more than some 1000 s waits for that alone, so that a run in which nothing can come any more ends.
func (o *Ops) Patience(doublings int32) { o.patience = doublings }

// Roused tells whether a Test or Iprobe with Patience has ended before its time.
func (o *Ops) Roused() bool { return o.roused }

// endless is for how long a rank looks at most, in ps.
const endless = 1e15

// looksAgain is when the rank's Test or Iprobe ends for want of an answer, in ps.
func (b *Block) looksAgain(r *rank) int64 {
	if r.patience <= 0 {
		return r.clock + 1
	}
	cost := b.pollCost()
	if r.patience >= 50 || cost > endless>>r.patience {
		return fabric.Forever
	}
	return r.clock + cost<<r.patience
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
