package node

import "fabricast/fabric"

// advance moves the rank's clock to the end of a wait, in ps, if that is later.
func (b *Block) advance(r *rank, to int64) {
	if to <= r.clock {
		return
	}
	if b.noise != nil {
		to, _ = b.noise.free(r.id, to)
	}
	r.counters.wait += to - r.clock
	begin := r.clock
	r.clock = to
	r.checkClock()
	if b.tracer != nil {
		b.tracer.waited(r, begin)
	}
}

// latest is the end of simulated time (ps): within it, sums of two times cannot overflow.
const latest = 1 << 62

// errLate is what a program fails with whose clock has gone beyond the latest time.
var errLate = &fabric.LimitError{Reason: "simulated time has gone beyond 53 days, more than picoseconds in 64 bits can count"}

// checkClock fails the rank if its clock has gone beyond the end of simulated time.
func (r *rank) checkClock() {
	if uint64(r.clock) > latest {
		r.clock = latest
		panic(errLate)
	}
}

// charge spends software time, in ps.
func (b *Block) charge(r *rank, d int64) {
	if b.noise == nil && b.tracer == nil {
		r.clock += d
		r.checkClock()
		r.counters.overhead += d
		return
	}
	b.chargeWatched(r, d)
}

// chargeWatched is charge where there is noise, or somebody to be told.
func (b *Block) chargeWatched(r *rank, d int64) {
	begin := r.clock
	r.counters.overhead += b.spend(r, d)
	if b.tracer != nil {
		b.tracer.charged(r, begin)
	}
}

// spend moves the rank's clock by d ps of work, and returns how long it took.
func (b *Block) spend(r *rank, d int64) int64 {
	if b.noise != nil {
		d = b.noise.work(r.id, r.clock, d) - r.clock
	}
	r.clock += d
	r.checkClock()
	return d
}
