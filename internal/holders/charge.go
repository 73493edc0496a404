package holders

import (
	"cmp"
	"slices"

	"fabricast/internal/causes"
)

// count sums what one packet is charged with by part and holder.
type count struct {
	number int64 // of packets counted
	pieces []piece
	sums   []sum
}

// sum is the time (ps) for which a holder is charged for a part.
type sum struct {
	holder *holder
	part   causes.Part
	time   int64
}

// charge reports the waits of a hop, one for each part and holder.
func (f *Finder) charge(s *step) {
	c, from := &f.count, s.ready
	c.number++
	c.pieces, c.sums = c.pieces[:0], c.sums[:0]
	if q := &s.queue; q.buffer != nil {
		c.pieces = q.buffer.ahead(c.pieces, from, q.until, 0, q.part)
	}
	c.add(c.pieces, from)
	if n := len(c.pieces); n > 0 {
		from = c.pieces[n-1].until
	}
	c.add(s.pieces, from)
	slices.SortFunc(c.sums, func(a, b sum) int {
		return cmp.Or(
			cmp.Compare(a.part, b.part), cmp.Compare(a.holder.Source, b.holder.Source),
			cmp.Compare(a.holder.Destination, b.holder.Destination), cmp.Compare(a.holder.Message, b.holder.Message),
			cmp.Compare(a.holder.Link, b.holder.Link),
		)
	})
	for i := range c.sums {
		w, next := &c.sums[i], i+1
		if next < len(c.sums) && c.sums[next].part == w.part && c.sums[next].holder.Holder == w.holder.Holder {
			c.sums[next].time += w.time
		} else {
			f.wait = Wait{s.self.Holder, w.holder.Holder, w.part, w.time}
			f.report(&f.wait)
		}
	}
}

// add counts pieces, the first of which begins at a time (ps).
func (c *count) add(pieces []piece, from int64) {
	for i := range pieces {
		p := &pieces[i]
		if p.part != causes.Count && p.until > from {
			c.charge(p, p.until-from)
		}
		from = p.until
	}
}

// charge counts a time (ps) for the holder of a piece.
func (c *count) charge(p *piece, time int64) {
	if h := p.holder; h.counted != c.number || c.sums[h.at].part != p.part {
		h.counted, h.at = c.number, len(c.sums)
		c.sums = append(c.sums, sum{h, p.part, time})
	} else {
		c.sums[h.at].time += time
	}
}
