package convert

import (
	"io"

	"fabricast/trace"
)

// Part selects a part of a trace. The zero value selects the whole trace, once.
type Part struct {
	Region     string // if not empty, only the records within this region of the program
	Iterations int    // only the first n times that a rank enters the region; 0: all
	// From and To select the records that start at From or later and before To, in ps since the
	// rank's first recorded event. If To is 0, there is no end. In traces without times, only
	// computation counts.
	From, To int64
	Repeat   int // number of copies of the part in sequence; 0: one
}

// whole reports whether the part is the whole trace.
func (p *Part) whole() bool { return p.Region == "" && p.From == 0 && p.To == 0 }

// timed is implemented by streams that know start times. Began returns the start time of the record
// read last, in ps since the rank's first event.
type timed interface{ Began() int64 }

// cutter decides which records of a rank are in a part.
type cutter struct {
	part    *Part
	timed   timed
	worked  int64 // ps of computation so far
	entered int   // number of times that the rank has entered the region, without nested entries
	depth   int   // number of times that the region is currently entered and not left
}

func newCutter(p *Part, s trace.Stream) *cutter {
	c := &cutter{part: p}
	if p.From != 0 || p.To != 0 {
		c.timed, _ = s.(timed)
	}
	return c
}

// keeps reports whether record r is in the part. It shortens a computation to its time within From
// and To.
func (c *cutter) keeps(r *trace.Record) bool {
	inside := c.within(r)
	return c.while(r) && inside
}

// within reports whether record r is in one of the selected iterations of the region.
func (c *cutter) within(r *trace.Record) bool {
	if c.part.Region == "" {
		return true
	}
	if r.Kind == trace.Enter && r.Name == c.part.Region {
		if c.depth == 0 {
			c.entered++
		}
		c.depth++
	}
	inside := c.depth > 0 && (c.part.Iterations == 0 || c.entered <= c.part.Iterations)
	if r.Kind == trace.Leave && r.Name == c.part.Region && c.depth > 0 {
		c.depth--
	}
	return inside
}

// while reports whether record r is within From and To. It shortens a computation to its time
// within them.
func (c *cutter) while(r *trace.Record) bool {
	if c.part.From == 0 && c.part.To == 0 {
		return true
	}
	begin := c.worked
	if c.timed != nil {
		begin = c.timed.Began()
	}
	if r.Kind != trace.Compute && r.Kind != trace.Software {
		return begin >= c.part.From && (c.part.To == 0 || begin < c.part.To)
	}
	c.worked += r.Duration
	from, to := max(begin, c.part.From), begin+r.Duration
	if c.part.To != 0 {
		to = min(to, c.part.To)
	}
	r.Duration = to - from
	return to > from
}

// each calls do for each kept record of a rank, as often as Part.Repeat specifies.
func (k *kept) each(rank int, do func(*trace.Record) error) error {
	for i := range max(1, k.part.Repeat) {
		f := follower{kept: k, rank: int32(rank), seen: newSeen()}
		if err := k.once(rank, func(r *trace.Record, inside bool) error {
			if !k.part.whole() && !f.follow(r, inside) {
				return nil
			}
			return do(r)
		}); err != nil {
			return err
		}
		if err := f.leaveAll(do); err != nil {
			return err
		}
		if i == 0 {
			k.dropped = f.add(k.dropped)
		}
	}
	return nil
}

// once calls do for each record of a rank; inside is true if the record is in the part.
func (k *kept) once(rank int, do func(r *trace.Record, inside bool) error) error {
	s, err := k.source.Open(rank)
	if err != nil {
		return err
	}
	var r trace.Record
	c := newCutter(&k.part, s)
	for err = s.Next(&r); err == nil; err = s.Next(&r) {
		if err := do(&r, c.keeps(&r)); err != nil {
			return err
		}
	}
	if err != io.EOF {
		return err
	}
	return nil
}
