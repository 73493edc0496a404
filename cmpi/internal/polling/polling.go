// Package polling makes ranks that poll wait, so that a loop of polls ends in simulated time.
package polling

import "fabricast/node"

// Polls counts how often a rank has polled without doing anything else: tests for requests or
// messages without success, and reads of the clock.
type Polls struct {
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

// Patience returns how often the weight of the next poll is doubled, in a world of so many ranks.
func (p *Polls) Patience(ranks int) int32 {
	misses := int(p.misses)
	if misses < manyMisses {
		return 0
	}
	if misses >= max(leastMisses, min(mostMisses, mostMissesOver/ranks)) {
		return node.Endless
	}
	return int32(min((misses-manyMisses)/perDoubling+1, node.Endless-1))
}

// Miss records an unsuccessful poll.
func (p *Polls) Miss() { p.misses++ }

// Hit records a successful poll, or that something else has happened.
func (p *Polls) Hit() { p.misses = 0 }

// ReadClock records that the program has read the clock, and returns the time (ps) that this takes:
// 0, but for a program that waits for time to pass, which would otherwise wait for ever.
func (p *Polls) ReadClock(now int64) (cost int64) {
	p.misses = 0
	if now != p.at {
		p.at, p.clocks = now, 0
	}
	if p.clocks++; p.clocks > manyClocks {
		cost = int64(clockCost) << min(p.clocks/manyClocks-1, mostDoublings)
		p.at += cost
	}
	return cost
}
