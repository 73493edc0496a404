package cmpi

import "fabricast/node"

// looks is how often a rank has asked without doing anything else: whether requests are complete or
// messages there, to no avail, and for the time.
type looks struct {
	misses, clocks int32
	at             int64 // ps: the clock's when it was last read
}

const (
	// From manyMisses questions without an answer on, each stands for two, after perDoubling more for four, and so on:
	// so a rank that waits asks seldom, and one that computes between its questions, which costs nothing, is hardly held up.
	manyMisses  = 1000
	perDoubling = 512
	// From mostMisses on, fewer on many ranks, nothing but an answer is waited for: whoever computes would have had
	// something to say by then.
	mostMisses     = 100_000
	mostMissesOver = 10_000_000 // all ranks
	leastMisses    = 4000
	// From so many looks at a clock that does not move on, each takes clockCost, and after so many
	// more twice as much, and so on.
	manyClocks    = 10_000
	clockCost     = 1_000_000 // ps
	mostDoublings = 20
)

// patience is for how many doublings the next question of a rank stands.
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

// missed notes that a question had no answer.
func (p *program) missed() {
	if p.ops.Roused() {
		p.looks.misses = 0
	} else {
		p.looks.misses++
	}
}

// readClock notes that the program has asked for the time. A program that waits for time to
// pass must not wait for ever.
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
