package engine

import (
	"math"
	"sync/atomic"
)

// Processes joins the blocks of this process to those of other processes, which simulate other
// parts of the same model. All processes call each method together.
type Processes interface {
	// Least replaces each value by the least that any process passes in its place.
	Least(values []int64)
	// Agree does what Least does, and brings what blocks have sent in their last round to the other
	// processes, and makes what they have sent ready for Collect. Further calls before the next round
	// bring nothing.
	Agree(values []int64)
}

// Why a run ends, in the agreement of processes: the greater counts.
const (
	goesOn = iota
	isStopped
	isBroken
)

// across combines what the workers of this process report with the other processes. Messages are
// carried at the same time, so that what follows is as with one process.
func (c *crew) across(all report) report {
	why := int64(goesOn)
	switch {
	case c.fault.Load() != nil:
		why = isBroken
	case all.stop:
		why = isStopped
	}
	if c.near != nil {
		all, c.broken = c.near.next(all, why, bound(c.blocks))
		if all.stop {
			c.stop.Store(true)
		}
		return all
	}
	values := append(
		c.values[:0], all.next, all.lookahead, -all.window, -why, -asNumber(all.looks),
	)
	c.processes.Agree(values)
	c.values = values
	all.next, all.lookahead, all.window, all.stop = values[0], values[1], -values[2], values[3] < -goesOn
	all.looks = values[4] < 0
	c.broken = values[3] == -isBroken
	if all.stop {
		c.stop.Store(true)
	}
	return all
}

// bound returns the window from which on blocks must not run.
func bound(blocks []Block) int64 {
	if b, ok := blocks[0].(bounded); ok {
		return b.Bound()
	}
	return math.MaxInt64
}

// asNumber returns 1 for true, else 0.
func asNumber(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

// quiet reports whether no process has anything left to do.
func quiet(blocks []Block, p Processes) bool {
	first := next(blocks)
	if p != nil {
		values := []int64{first}
		p.Least(values)
		first = values[0]
	}
	return first == math.MaxInt64
}

// Stopped reports whether stop is set in any process, and then sets it in all.
func Stopped(stop *atomic.Bool, p Processes) bool {
	if p != nil {
		values := []int64{0}
		if stop.Load() {
			values[0] = -1
		}
		if p.Least(values); values[0] == 0 {
			return false
		}
		stop.Store(true)
	}
	return stop.Load()
}
