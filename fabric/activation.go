package fabric

import "math/bits"

// prefetchFrom is the size of a block's state (bytes) from which on what router activations use is
// prefetched. Prefetching takes a quarter to a third of the fast path's instructions, and pays only
// if the lines are in no near cache. On two cores of an AMD EPYC it costs a fifth to two fifths of
// the time up to 8 MB, and saves a fifth from 18 MB on (docs/performance.md).
const prefetchFrom = 8 << 20

// visitAll activates the window's routers. It prefetches their records if they no longer fit in the
// cache, unless the last window had too few activations for that: this one most likely has as few.
func (b *fast) visitAll() {
	before := b.counters.visits
	if b.loader.size() < b.loader.from || b.activations < uint64(b.loader.records()) {
		b.visitDue()
	} else {
		b.visitActive()
	}
	b.activations = b.counters.visits - before
}

// visitActive activates the window's routers. If they are many, it prefetches their records.
func (b *fast) visitActive() {
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
func (b *fast) visitDue() {
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
func (b *fast) visitAhead() {
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
