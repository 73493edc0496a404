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
	l := &b.Loader
	l.begin(b.Active)
	full := len(b.Active) - l.records()
	for i, r := range b.Active[:full] {
		l.next(uint32(i))
		b.activate(b.Routers.At(b.First + r))
	}
	for i, r := range b.Active[full:] {
		l.rest(uint32(full + i))
		b.activate(b.Routers.At(b.First + r))
	}
}
