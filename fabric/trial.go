package fabric

import (
	"math"
	"math/bits"
	"time"
)

// Whether prefetching pays depends on what else is in the processor's caches, whose sizes and
// sharing a program hardly knows, and on how much a router activation does. Between a size that
// certainly stays in the second-level cache and one that certainly stays in no cache, a block
// measures it by the clock from time to time. Only speed depends on the outcome.
const (
	// prefetchFrom and prefetchAlways are the sizes of a block's state (bytes) between which trials
	// decide whether prefetching pays. Today's processors have 1 or 2 MB of second-level cache, and
	// 16 to 96 MB of third-level cache for some cores.
	prefetchFrom   = 1 << 20
	prefetchAlways = 128 << 20
	// A trial has legs of this many activations, hops and packets, alternately with and without
	// prefetching. The quickest leg of each kind counts, as others may have been interrupted. The
	// quicker way is kept for so much work: little at first, while buffers fill at the beginning of
	// a run, and twice as much each time that it wins again.
	legWork   = 1 << 13
	trialLegs = 6
	fewKept   = 1 << 18
	mostKept  = 1 << 23
)

// trial finds out which of two ways to do the same work is quicker.
type trial struct {
	second  bool     // what is being tried or, between trials, kept: the second way
	legs    int      // done of the trial
	kept    int64    // work left until the next trial
	keep    int64    // work between the last trial and the next one
	best    bool     // what the last trial has found cheaper
	elapsed int64    // ns of the leg
	work    uint64   // of the leg
	least   [2]int64 // ns for 1024 units of work, of the quickest leg, by way
	visits  uint64   // of the last window
}

// took records how long (ns) so much work took in the way under test.
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

// conclude ends a trial. second says whether the second way was quicker.
func (t *trial) conclude(second bool) {
	if t.keep == 0 || second != t.best {
		t.keep = fewKept
	} else {
		t.keep = min(2*t.keep, mostKept)
	}
	t.best, t.second = second, second
	t.legs, t.kept = 0, t.keep
}

// visitAll activates the window's routers.
func (b *Block) visitAll() {
	size, t := b.loader.size(), &b.trial
	before := b.counters.visits
	switch {
	case size < prefetchFrom:
		b.visitDue()
		return
	case size >= prefetchAlways:
		b.visitActive()
		return
	case t.visits < uint64(b.loader.records()): // and so has this one, most likely
		b.visitDue()
	case t.kept > 0:
		work := b.counters.work()
		b.visitEither()
		t.kept -= int64(b.counters.work() - work)
	default:
		b.try()
	}
	t.visits = b.counters.visits - before
}

// try runs visitEither and measures its time.
func (b *Block) try() {
	before, start := b.counters.work(), time.Now()
	b.visitEither()
	b.trial.took(int64(time.Since(start)), b.counters.work()-before)
}

// visitEither calls visitActive or visitDue: the one that has proved quicker, or the one under
// test.
func (b *Block) visitEither() {
	if b.trial.second {
		b.visitActive()
	} else {
		b.visitDue()
	}
}

// work returns the amount of work done so far, for comparing times: the sum of activations, hops,
// packets and deliveries.
func (c *counters) work() uint64 { return c.visits + c.hops + c.packets + c.delivered }

// visitActive activates the window's routers. If they are many, it prefetches their records.
func (b *Block) visitActive() {
	b.active = b.events.calendar.take(b.active[:0])
	b.counters.visits += uint64(len(b.active))
	if len(b.active) >= b.loader.records() {
		b.visitAhead()
		return
	}
	for _, r := range b.active {
		b.visit(b.routers.at(b.first + r))
	}
}

// visitDue activates the window's routers as it finds them in the calendar, without prefetching.
func (b *Block) visitDue() {
	c := &b.events.calendar
	row, sums := c.row()
	for s := range c.sumWords {
		sum := c.summary.at(sums + s)
		for m := *sum; m != 0; m &= m - 1 {
			group := s<<6 + uint32(bits.TrailingZeros64(m))
			due := c.bits.at(row + group)
			for r := *due; r != 0; r &= r - 1 {
				b.counters.visits++
				b.visit(b.routers.at(b.first + group<<6 + uint32(bits.TrailingZeros64(r))))
			}
			*due = 0
		}
		*sum = 0
	}
	c.emptied()
}

// visitAhead activates the given routers and prefetches their records.
func (b *Block) visitAhead() {
	l := &b.loader
	records, moves, hosts, matches := l.records(), l.ahead, l.ahead/2, l.ahead/4
	lanes := moves + 1
	for i := range records {
		l.loadRecord(b.active[i])
	}
	for i := range lanes {
		l.loadLanes(b.active[i])
	}
	for i := range moves {
		l.loadMoves(b.active[i])
	}
	for i, r := range b.active {
		if i+records < len(b.active) {
			l.loadRecord(b.active[i+records])
		}
		if i+lanes < len(b.active) {
			l.loadLanes(b.active[i+lanes])
		}
		if i+moves < len(b.active) {
			l.loadMoves(b.active[i+moves])
		} else { // for those that are still on the belt
			m := &l.belt.moves[l.belt.n%beltSize]
			l.loadMove(m.in, m.lanes, m.ports)
		}
		if i+hosts < len(b.active) {
			l.loadHosts(b.active[i+hosts], false)
		}
		if i+matches < len(b.active) {
			l.loadHosts(b.active[i+matches], true)
		}
		b.visit(b.routers.at(b.first + r))
	}
}
