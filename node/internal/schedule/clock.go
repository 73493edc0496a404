package schedule

import (
	"math"

	"fabricast/node/internal/core"
	"fabricast/node/internal/model"
	"fabricast/node/internal/observe"
)

// Clocks advances the clocks of a block's ranks. It computes the cost of software, and the time
// that ranks lose to noise.
type Clocks struct {
	world  *core.Shared
	Noise  *model.Noise         // nil if there is none
	Tracer *observe.BlockTracer // nil unless the states of ranks are traced
}

func NewClocks(w *core.Shared) Clocks {
	c := Clocks{world: w}
	if w.Spec.Noise.Every > 0 {
		c.Noise = &w.Spec.Noise
	}
	return c
}

// Advance moves the rank's clock to time `to` (ps), the end of a wait, if that is later.
func (c *Clocks) Advance(r *core.Rank, to int64) {
	if to <= r.Clock {
		return
	}
	waits := to - r.Clock
	if c.Noise != nil {
		to, _ = c.Noise.Free(r.ID, to)
	}
	r.Counters.Wait += to - r.Clock
	begin := r.Clock
	r.Clock = to
	r.CheckClock()
	if c.Tracer != nil {
		c.Tracer.Waited(r, begin, waits)
	}
}

// Charge adds d ps of software time to the rank's clock.
func (c *Clocks) Charge(r *core.Rank, d int64) {
	if c.Noise == nil && c.Tracer == nil {
		r.Clock += d
		r.CheckClock()
		r.Counters.Overhead += d
		return
	}
	c.chargeWatched(r, d)
}

// chargeWatched implements Charge for ranks with noise, a trace or a log.
func (c *Clocks) chargeWatched(r *core.Rank, d int64) {
	begin := r.Clock
	r.Counters.Overhead += c.Spend(r, d)
	if c.Tracer != nil {
		c.Tracer.Charged(r, begin, d)
	}
}

// Slowed returns the time (ps) that a computation of d ps takes on a rank, without noise.
func (c *Clocks) Slowed(rank int32, d int64) int64 {
	slow := c.world.Spec.Slow
	if slow == nil || slow[rank] == 1 {
		return d
	}
	return int64(min(math.Round(float64(d)*slow[rank]), core.Latest))
}

// Spend advances the rank's clock by d ps of work, and returns the time (ps) that this took, noise
// included.
func (c *Clocks) Spend(r *core.Rank, d int64) int64 {
	if c.Noise != nil {
		d = c.Noise.Work(r.ID, r.Clock, d) - r.Clock
	}
	r.Clock += d
	r.CheckClock()
	return d
}

// CallCost returns the software time (ps) of a send or of completing a receive.
func (c *Clocks) CallCost(context, tag int32, size int64, copied bool) int64 {
	switch {
	case core.OfDevice(context, tag):
		return 0
	case copied:
		return int64(c.world.Spec.Overhead) + c.world.CopyTime(size)
	}
	return int64(c.world.Spec.Overhead)
}

// Overhead returns the overhead (ps) of a message.
func (c *Clocks) Overhead(context, tag int32) int64 { return c.CallCost(context, tag, 0, false) }

// PollCost returns the software time (ps) of a failed test or of an iprobe.
func (c *Clocks) PollCost() int64 {
	const least = 1000 // 1 ns: a polling loop must make progress
	return max(int64(c.world.Spec.Overhead), least)
}

// LocalCost returns the time (ps) that a send to another rank of the same host takes.
func (c *Clocks) LocalCost(source int32, e *core.Op, size int64, copied bool) int64 {
	if w := c.world; e.Dst != source {
		return c.Overhead(e.Context, e.Tag) + model.TransferTime(size, int64(w.Spec.Intra.Bandwidth))
	}
	return c.CallCost(e.Context, e.Tag, size, copied)
}
