package node

// clocks advance the clocks of a block's ranks. They compute the cost of software, and the time
// that ranks lose to noise.
type clocks struct {
	world  *shared
	noise  *Noise  // nil if there is none
	tracer *tracer // nil unless it is told what ranks do
}

func newClocks(w *shared) clocks {
	c := clocks{world: w}
	if w.spec.Noise.Every > 0 {
		c.noise = &w.spec.Noise
	}
	return c
}

// advance moves the rank's clock to the end of a wait, in ps, if that is later.
func (c *clocks) advance(r *rank, to int64) {
	if to <= r.clock {
		return
	}
	if c.noise != nil {
		to, _ = c.noise.free(r.id, to)
	}
	r.counters.wait += to - r.clock
	begin := r.clock
	r.clock = to
	r.checkClock()
	if c.tracer != nil {
		c.tracer.waited(r, begin)
	}
}

// charge adds d ps of software time to the rank's clock.
func (c *clocks) charge(r *rank, d int64) {
	if c.noise == nil && c.tracer == nil {
		r.clock += d
		r.checkClock()
		r.counters.overhead += d
		return
	}
	c.chargeWatched(r, d)
}

// chargeWatched implements charge for ranks with noise, or with a trace or a log.
func (c *clocks) chargeWatched(r *rank, d int64) {
	begin := r.clock
	r.counters.overhead += c.spend(r, d)
	if c.tracer != nil {
		c.tracer.charged(r, begin)
	}
}

// spend advances the rank's clock by d ps of work, and returns how long that took with noise (ps).
func (c *clocks) spend(r *rank, d int64) int64 {
	if c.noise != nil {
		d = c.noise.work(r.id, r.clock, d) - r.clock
	}
	r.clock += d
	r.checkClock()
	return d
}

// callCost returns the software time of a send or of completing a receive, in ps.
func (c *clocks) callCost(size int64, copied bool) int64 {
	if copied {
		return int64(c.world.spec.Overhead) + c.world.copyTime(size)
	}
	return int64(c.world.spec.Overhead)
}

// pollCost returns the software time that a failed test or an iprobe takes, in ps.
func (c *clocks) pollCost() int64 {
	const least = 1000 // 1 ns: a polling loop must get on
	return max(int64(c.world.spec.Overhead), least)
}

// localCost returns the software time (ps) of a send from one rank to another of its host.
func (c *clocks) localCost(source, dst int32, size int64, copied bool) int64 {
	if w := c.world; dst != source {
		return int64(w.spec.Overhead) + transferTime(size, int64(w.spec.Intra.Bandwidth))
	}
	return c.callCost(size, copied)
}
