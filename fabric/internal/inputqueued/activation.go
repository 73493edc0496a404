package inputqueued

import "math/bits"

// activateAll activates the routers of the window. It prefetches their records if they no longer
// fit in the cache. It does not if the last window had too few activations for prefetching, since
// this one most likely has as few.
func (b *Routers) activateAll() {
	before := b.Counters.Visits
	if b.Loader.size() < b.Loader.From || b.activations < uint64(b.Loader.records()) {
		b.activateDue()
	} else {
		b.activateList()
	}
	b.activations = b.Counters.Visits - before
}

// activateList activates the routers of the window. If there are many, it prefetches their records.
func (b *Routers) activateList() {
	b.Active = b.Events.Calendar.Take(b.Active[:0])
	b.Counters.Visits += uint64(len(b.Active))
	if len(b.Active) >= b.Loader.records() {
		b.activateAhead()
		return
	}
	for _, r := range b.Active {
		b.activate(b.Routers.At(b.First + r))
	}
}

// activateDue activates the routers of the window as it finds them in the calendar, without
// prefetching.
func (b *Routers) activateDue() {
	c := &b.Events.Calendar
	row, sums := c.Row()
	for s := range c.SumWords {
		sum := c.Summary.At(sums + s)
		for m := *sum; m != 0; m &= m - 1 {
			group := s<<6 + uint32(bits.TrailingZeros64(m))
			due := c.Bits.At(row + group)
			for r := *due; r != 0; r &= r - 1 {
				b.Counters.Visits++
				b.activate(b.Routers.At(b.First + group<<6 + uint32(bits.TrailingZeros64(r))))
			}
			*due = 0
		}
		*sum = 0
	}
	c.Emptied()
}

// activateAhead activates the given routers and prefetches their records.
func (b *Routers) activateAhead() {
	l, active := &b.Loader, b.Active
	l.belt.last, l.belt.far, l.belt.near = 0, 0, 0
	records, moves := l.records(), l.ahead
	vcs := moves + 1
	hosts, matches := uint32(l.ahead/2), uint32(l.ahead/4)
	for i := range records {
		l.loadRecord(active[i])
	}
	for i := range vcs {
		l.loadVCs(active[i])
	}
	for i := range moves {
		l.loadMoves(uint32(i), active[i])
	}
	full := len(active) - records
	for i := range full {
		ahead := active[i : i+records+1]
		l.loadRecord(ahead[records])
		l.loadVCs(ahead[vcs])
		l.loadMoves(uint32(i+moves), ahead[moves])
		l.loadOwners(uint32(i)+hosts, uint32(i)+matches)
		b.activate(b.Routers.At(b.First + ahead[0]))
	}
	for i := full; i < len(active); i++ {
		if i+vcs < len(active) {
			l.loadVCs(active[i+vcs])
		}
		if i+moves < len(active) {
			l.loadMoves(uint32(i+moves), active[i+moves])
		} else { // finish the moves that are still in the pipeline
			m := &l.belt.moves[l.belt.n%pipelineSize]
			l.loadMove(m.in, m.vcs, m.ports)
		}
		l.loadOwners(uint32(i)+hosts, uint32(i)+matches)
		b.activate(b.Routers.At(b.First + active[i]))
	}
}
