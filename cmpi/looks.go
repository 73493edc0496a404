package cmpi

import "fabricast/node"

// looks counts how often a rank has polled without doing anything else: tests for requests or
// messages without success, and reads of the clock.
type looks struct {
	misses, clocks int32
	at             int64 // ps: clock when it was last read
}

const (
	// From manyMisses unsuccessful polls on, each counts as two, after perDoubling more as four,
	// and so on. So a rank that waits polls rarely, and a rank that computes between its polls,
	// which takes no simulated time, is hardly delayed.
	manyMisses  = 1000
	perDoubling = 512
	// From mostMisses polls on (fewer with many ranks) the rank waits until there is an answer: a
	// rank that computes would have continued by then.
	mostMisses     = 100_000
	mostMissesOver = 10_000_000 // all ranks
	leastMisses    = 4000
	// From manyClocks reads of an unchanged clock on, each takes clockCost; after as many more
	// twice as long, and so on.
	manyClocks    = 10_000
	clockCost     = 1_000_000 // ps
	mostDoublings = 20
)

// patience returns how often the weight of a rank's next poll is doubled.
func (p *program) patience() int32 {
	misses := int(p.looks.misses)
	if misses < manyMisses {
		return 0
	}
	if misses >= max(leastMisses, min(mostMisses, mostMissesOver/p.block.job.options.Ranks)) {
		return node.Endless
	}
	return int32(min((misses-manyMisses)/perDoubling+1, node.Endless-1))
}

// missed records an unsuccessful poll.
func (p *program) missed() {
	if p.ops.Roused() {
		p.looks.misses = 0
	} else {
		p.looks.misses++
	}
}

// readClock records that the program has read the clock. It advances the clock for a program that
// waits for time to pass, which would otherwise wait for ever.
func (p *program) readClock() {
	l := &p.looks
	l.misses = 0
	if now := p.ops.Now(); now != l.at {
		l.at, l.clocks = now, 0
	}
	if l.clocks++; l.clocks > manyClocks {
		cost := int64(clockCost) << min(l.clocks/manyClocks-1, mostDoublings)
		p.ops.Compute(cost)
		l.at += cost
	}
}
