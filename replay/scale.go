package replay

import (
	"fmt"
	"math"

	"fabricast/trace"
)

// Scale holds factors of computation times and message sizes. The zero value changes nothing.
type Scale struct {
	Compute float64 // factor of all computation; 0 means 1
	// factors of computation within regions of the program, by name; the factors of nested regions
	// are multiplied
	Regions map[string]float64
	Ranks   map[int]float64 // factors of computation by rank
	// factor of the sizes of messages and collectives; 0 means 1
	Messages float64
}

// check returns an error if a factor is invalid, or if Ranks contains a rank that does not exist.
func (s *Scale) check(ranks int) error {
	fault := func(what string, f float64) error {
		if f < 0 || math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("found a factor of %s of %v, expected a number above 0", what, f)
		}
		return nil
	}
	if err := fault("computation", s.Compute); err != nil {
		return err
	}
	for name, f := range s.Regions {
		if err := fault("computation in "+name, f); err != nil {
			return err
		}
	}
	for rank, f := range s.Ranks {
		if rank < 0 || rank >= ranks {
			return fmt.Errorf(
				"found a factor of computation of rank %d, expected ranks from 0 to %d", rank, ranks-1,
			)
		}
		if err := fault(fmt.Sprintf("computation of rank %d", rank), f); err != nil {
			return err
		}
	}
	return fault("messages", s.Messages)
}

// compute returns the factor of the computation of a rank outside the regions in Regions.
func (s *Scale) compute(rank int) float64 {
	f, given := s.Ranks[rank]
	if !given {
		f = 1
	}
	return f * s.Compute
}

// scaled returns d, a duration or size, multiplied by factor and rounded.
func scaled(d int64, factor float64) int64 {
	if factor == 1 {
		return d
	}
	return int64(math.Min(math.Round(float64(d)*factor), 1<<62))
}

// size returns the scaled size, in bytes, of a message of n bytes.
func (j *Job) size(n int64) int64 { return scaled(n, j.scale.Messages) }

// operation returns collective o with scaled sizes. Its Blocks reuse the memory of room.
func (j *Job) operation(o *trace.Operation, room *[]int64) trace.Operation {
	if j.scale.Messages == 1 {
		return *o
	}
	c := *o
	c.Size = j.size(o.Size)
	if o.Blocks != nil {
		*room = (*room)[:0]
		for _, n := range o.Blocks {
			*room = append(*room, j.size(n))
		}
		c.Blocks = *room
	}
	return c
}

// enter updates the factor of computation when the rank enters a region; leave restores it.
func (p *player) enter(name string) {
	if len(p.job.scale.Regions) == 0 {
		return
	}
	p.factors = append(p.factors, p.factor)
	if f, given := p.job.scale.Regions[name]; given {
		p.factor *= f
	}
}

func (p *player) leave() {
	if n := len(p.factors); n > 0 {
		p.factor, p.factors = p.factors[n-1], p.factors[:n-1]
	}
}
