package fabric

import (
	"math"
	"time"
)

// Whether it pays to load ahead depends on what else is in the processor's caches, of whose sizes and sharing a program
// knows little, and on how much a visit does. Between what certainly stays in the second-level cache and what certainly does
// not stay in any, a block finds it out by the clock, from time to time. Nothing but speed depends on it.
const (
	// prefetchFrom and prefetchAlways are the sizes of a block's state, in bytes, between which it is tried whether it
	// pays to load ahead: today's processors have 1 or 2 MB of second-level cache, and 16 to 96 MB of the third for some cores.
	prefetchFrom   = 1 << 20
	prefetchAlways = 128 << 20
	// A trial has legs of so many visits, hops and packets, in turn with and without loading ahead, of which the quickest
	// count: others may have been interrupted. What has proved cheaper is kept for so many visits: few at first, as buffers fill
	// in the beginning of a run, twice as many each time that it proves cheaper again.
	legWork   = 1 << 13
	trialLegs = 6
	fewKept   = 1 << 15
	mostKept  = 1 << 20
)

// trial finds out which of two ways to do the same is quicker.
type trial struct {
	second  bool     // what is being tried or, between trials, kept: the second way
	legs    int      // done of the trial
	kept    int64    // visits left until the next trial
	keep    int64    // visits between the last trial and the next one
	best    bool     // what the last trial has found cheaper
	elapsed int64    // ns of the leg
	work    uint64   // of the leg
	least   [2]int64 // ns for 1024 units of work, of the quickest leg, by way
	visits  uint64   // of the last window
}

// took tells how long so much work took in the way that is being tried.
func (t *trial) took(elapsed int64, work uint64) {
	t.elapsed += elapsed
	if t.work += work; t.work < legWork {
		return
	}
	if t.legs == 0 {
		t.least = [2]int64{math.MaxInt64, math.MaxInt64}
	}
	least := &t.least[0]
	if t.second {
		least = &t.least[1]
	}
	*least = min(*least, t.elapsed<<10/int64(t.work))
	t.elapsed, t.work = 0, 0
	t.legs++
	t.second = (t.legs+1)/2%2 != 0 // each way is as often before as after the other
	if t.legs == trialLegs {
		t.conclude(t.least[1] < t.least[0])
	}
}

// conclude ends a trial that has found the second way quicker, or not.
func (t *trial) conclude(second bool) {
	if t.keep == 0 || second != t.best {
		t.keep = fewKept
	} else {
		t.keep = min(2*t.keep, mostKept)
	}
	t.best, t.second = second, second
	t.legs, t.kept = 0, t.keep
}

// visitAll visits the window's routers.
func (b *Block) visitAll() {
	size, t := b.size(), &b.trial
	before := b.counters.visits
	switch {
	case size < prefetchFrom:
		b.visitDue()
		return
	case size >= prefetchAlways:
		b.visitActive()
		return
	case t.visits < recordsAhead: // and so has this one, most likely
		b.visitDue()
	case t.kept > 0:
		b.visitEither()
		t.kept -= int64(b.counters.visits - before)
	default:
		b.try()
	}
	t.visits = b.counters.visits - before
}

// try is visitEither by the clock.
func (b *Block) try() {
	before, start := b.counters.work(), time.Now()
	b.visitEither()
	b.trial.took(int64(time.Since(start)), b.counters.work()-before)
}

// visitEither is visitActive or visitDue, as has proved quicker or is to be tried.
func (b *Block) visitEither() {
	if b.trial.second {
		b.visitActive()
	} else {
		b.visitDue()
	}
}

// work is about what has been done, to compare how long it takes.
func (c *counters) work() uint64 { return c.visits + c.hops + c.packets + c.delivered }
