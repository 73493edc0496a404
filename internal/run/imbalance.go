package run

import (
	"math"
	"math/bits"
	"slices"

	"fabricast/internal/dist"
	"fabricast/internal/experiment"
	"fabricast/internal/plan"
	"fabricast/internal/random"
	"fabricast/internal/units"
)

// ImbalanceResult summarizes when the ranks began and by how much that slowed the program down.
type ImbalanceResult struct {
	Width units.Time `json:"width_ps,omitempty"` // of the distribution
	First units.Time `json:"first_begin_ps"`     // when the first rank began
	Mean  units.Time `json:"mean_begin_ps"`      // when ranks began in the mean
	Last  units.Time `json:"last_begin_ps"`      // when the last rank began
	// time of the balanced experiment, if it is known
	Balanced units.Time `json:"balanced_ps,omitempty"`
	Slowdown float64    `json:"slowdown,omitempty"` // predicted time / balanced time
}

// begins returns the times (ps) at which the ranks begin, and their summary without the slowdown,
// which is known only after the run. It returns nil, nil if all ranks begin at 0.
func begins(p *plan.Plan, balanced units.Time) ([]int64, *ImbalanceResult) {
	e := p.Experiment
	i := &e.Imbalance
	if !i.Given() {
		return nil, nil
	}
	r := &ImbalanceResult{Balanced: balanced, Width: i.Width.Time}
	list := p.Begins
	if list == nil {
		if i.Width.Share != 0 {
			r.Width = shareOf(balanced, i.Width.Share)
		}
		list = draw(i, e.Ranks, int64(r.Width), e.Seed)
	}
	r.First, r.Last = units.Time(slices.Min(list)), units.Time(slices.Max(list))
	var hi, lo, carry uint64
	for _, t := range list {
		lo, carry = bits.Add64(lo, uint64(t), 0)
		hi += carry
	}
	mean, _ := bits.Div64(hi, lo, uint64(len(list)))
	r.Mean = units.Time(mean)
	return list, r
}

// shareOf returns a share of a time, rounded down and limited to 1/64 of the largest time.
func shareOf(t units.Time, share units.Fraction) units.Time {
	hi, lo := bits.Mul64(uint64(t), uint64(share))
	if hi >= uint64(units.Whole) {
		return math.MaxInt64 / 64
	}
	part, _ := bits.Div64(hi, lo, uint64(units.Whole))
	return units.Time(min(part, math.MaxInt64/64))
}

// beginning separates the random numbers of an imbalance from others of the same seed.
const beginning = 0x626567696e

// draw returns a random begin time (ps) for each of ranks ranks, from the distribution of imbalance
// i with the given width (ps).
func draw(i *experiment.Imbalance, ranks int, width int64, seed uint64) []int64 {
	list := make([]int64, ranks)
	for rank := range list {
		u := random.Scramble(random.Scramble(random.Scramble(seed)+beginning) + uint64(rank))
		switch i.Distribution {
		case experiment.ImbalanceNormal:
			z := dist.Normal(u, random.Scramble(u))
			list[rank] = min(max(0, width/2+dist.Times(width, z)/6), width)
		case experiment.ImbalanceUniform:
			list[rank] = int64(below(u, uint64(width)+1))
		case experiment.ImbalanceExponential:
			list[rank] = dist.Times(width, dist.NegLog(u|1)) / 2
		}
	}
	if i.Order == experiment.OrderSorted {
		slices.Sort(list)
	}
	return list
}

func below(random, n uint64) uint64 {
	hi, _ := bits.Mul64(random, n)
	return hi
}

// end sets the slowdown once the predicted time t is known, and returns r. r may be nil.
func (r *ImbalanceResult) end(t units.Time) *ImbalanceResult {
	if r != nil && r.Balanced > 0 {
		r.Slowdown = float64(t) / float64(r.Balanced)
	}
	return r
}
