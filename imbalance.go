package fabricast

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"fabricast/internal/draw"
	"fabricast/internal/units"
)

// Span is a length of time, or a share of another one.
type Span = units.Span

// Imbalance lets ranks begin late. Normal, uniform and exponential times are drawn with
// a mean of half the width; normal ones have a standard deviation of a sixth of it, and are cut
// off at 0 and at the width, uniform ones go from 0 to the width, exponential ones
// know no bound (docs/model.md).
type Imbalance struct {
	Distribution string `yaml:"distribution,omitempty"`
	Width        Span   `yaml:"width,omitempty"` // a time, or a share of the time of the balanced experiment; 0: all ranks begin at once
	Order        string `yaml:"order,omitempty"` // sorted (ascending over the ranks) or random
	Of           Time   `yaml:"of,omitempty"`    // the time of the balanced experiment; 0: it is simulated first if it is needed
	File         string `yaml:"file,omitempty"`  // of times, one a line, in the order of ranks
}

// Words of an imbalance.
const (
	ImbalanceNormal      = "normal"
	ImbalanceUniform     = "uniform"
	ImbalanceExponential = "exponential"
	ImbalanceFile        = "file"

	OrderSorted = "sorted"
	OrderRandom = "random"
)

// Bounds of an imbalance.
const (
	maxWidth      = 100 * Second
	maxWidthShare = 100 * Whole
)

func (i *Imbalance) given() bool { return *i != (Imbalance{}) }

// imbalance fills in what was not given, if there is an imbalance.
func (f filler) imbalance(i *Imbalance) {
	if !i.given() && !f.e.positions.Has("imbalance") {
		return
	}
	if i.File != "" {
		give(f, "imbalance.distribution", &i.Distribution, ImbalanceFile)
		return
	}
	give(f, "imbalance.distribution", &i.Distribution, ImbalanceNormal)
	if i.Distribution != ImbalanceFile {
		give(f, "imbalance.order", &i.Order, OrderSorted)
	}
}

func (v *validator) imbalance() {
	i := &v.e.Imbalance
	if !i.given() {
		return
	}
	if v.e.HasTraffic() {
		v.problem("imbalance", "an imbalance of traffic", "one of a program", "traffic has no ranks that could begin late")
		return
	}
	v.choice("imbalance.distribution", i.Distribution, ImbalanceNormal, ImbalanceUniform, ImbalanceExponential, ImbalanceFile)
	v.demand(i.Of >= 0 && i.Of <= maxWidth, "imbalance.of", i.Of, "a time from 0ps to "+maxWidth.String())
	if i.Distribution == ImbalanceFile {
		v.demand(i.File != "", "imbalance.file", "", "the name of a file of times, one a line, in the order of ranks")
		v.demand(i.Width == Span{}, "imbalance.width", i.Width, "no width: the file tells when ranks begin")
		v.demand(i.Order == "", "imbalance.order", i.Order, "no order: the file tells which rank begins when")
		return
	}
	if !v.demand(i.File == "", "imbalance.distribution", i.Distribution, ImbalanceFile+", with a file") {
		return // the rest is about what a file tells
	}
	v.choice("imbalance.order", i.Order, OrderSorted, OrderRandom)
	w := i.Width
	switch {
	case w.Share != 0 && w.Time != 0:
		v.problem("imbalance.width", "both a share and a time", "one of them", "")
	case w == Span{} && v.e.positions.Has("imbalance") && !v.e.positions.Has("imbalance.width"):
		v.problem("imbalance.width", "", "a time such as 5us or a share such as 4%", "")
	}
	if v.e.Launch != nil && w.Share != 0 && i.Of == 0 {
		v.problem("imbalance.of", "", "the time of the balanced run",
			"a program's variables cannot be set back for a run of it before this one: run it without imbalance, or give the width as a time")
	}
	v.demand(w.Time >= 0 && w.Time <= maxWidth, "imbalance.width", w, "a time from 0ps to "+maxWidth.String())
	v.demand(w.Share >= 0 && w.Share <= maxWidthShare, "imbalance.width", w, "a share from 0% to "+Span{Share: maxWidthShare}.String())
}

// dropNothing forgets an imbalance or a noise that has no effect, so that an experiment
// without and one with none of it are the same.
func (e *Experiment) dropNothing() {
	if e.Imbalance.Distribution != ImbalanceFile && e.Imbalance.Width == (Span{}) {
		e.Imbalance = Imbalance{}
	}
	if e.Noise.Lose == 0 {
		e.Noise = Noise{}
	}
}

// Baseline returns the balanced experiment, without noise, whose time must be known
// before a resolved experiment can run, because an imbalance is given as a share of it; nil if
// there is no need, or Imbalance.Of tells that time.
func (e *Experiment) Baseline() *Experiment {
	if e.Imbalance.Width.Share == 0 || e.Imbalance.Of != 0 {
		return nil
	}
	balanced := *e
	balanced.Imbalance, balanced.Noise = Imbalance{}, Noise{}
	return &balanced
}

// balancedTime finds the time of the balanced experiment; 0 if nobody asks for it.
func (e *Experiment) balancedTime(ctx context.Context, s settings, plan *plan) (Time, error) {
	balanced := e.Baseline()
	if balanced == nil {
		return e.Imbalance.Of, nil
	}
	s.folder = nil // of the run itself
	sim, err := balanced.simulate(ctx, s, plan, nil)
	if err != nil {
		return 0, err
	}
	defer sim.close()
	return Time(sim.world.Stats().End), nil
}

// ImbalanceResult tells when the ranks began, and what came of it.
type ImbalanceResult struct {
	Width    Time    `json:"width_ps,omitempty"`    // of the distribution
	First    Time    `json:"first_begin_ps"`        // when the first rank began
	Mean     Time    `json:"mean_begin_ps"`         // when ranks began in the mean
	Last     Time    `json:"last_begin_ps"`         // when the last rank began
	Balanced Time    `json:"balanced_ps,omitempty"` // time of the balanced experiment, if it is known
	Slowdown float64 `json:"slowdown,omitempty"`    // predicted time over that
}

// begins tells when the ranks begin, in ps; nil if all do at 0. The result is but for
// what only the end of the run will tell.
func (e *Experiment) begins(plan *plan, balanced Time) ([]int64, *ImbalanceResult) {
	i := &e.Imbalance
	if !i.given() {
		return nil, nil
	}
	r := &ImbalanceResult{Balanced: balanced, Width: i.Width.Time}
	list := plan.begins
	if list == nil {
		if i.Width.Share != 0 {
			r.Width = shareOf(balanced, i.Width.Share)
		}
		list = i.draw(e.Ranks, int64(r.Width), e.Seed)
	}
	r.First, r.Last = Time(slices.Min(list)), Time(slices.Max(list))
	var hi, lo, carry uint64
	for _, t := range list {
		lo, carry = bits.Add64(lo, uint64(t), 0)
		hi += carry
	}
	mean, _ := bits.Div64(hi, lo, uint64(len(list)))
	r.Mean = Time(mean)
	return list, r
}

// shareOf is a share of a time, rounded down.
func shareOf(t Time, share Fraction) Time {
	hi, lo := bits.Mul64(uint64(t), uint64(share))
	if hi >= uint64(Whole) {
		return math.MaxInt64 / 64
	}
	part, _ := bits.Div64(hi, lo, uint64(Whole))
	return Time(min(part, math.MaxInt64/64))
}

// beginning keeps the draws of imbalances apart from others of the same seed.
const beginning = 0x626567696e

// draw draws so many times of a width, in ps.
func (i *Imbalance) draw(ranks int, width int64, seed uint64) []int64 {
	list := make([]int64, ranks)
	for rank := range list {
		u := scramble(scramble(scramble(seed)+beginning) + uint64(rank))
		switch i.Distribution {
		case ImbalanceNormal:
			z := draw.Normal(u, scramble(u))
			list[rank] = min(max(0, width/2+draw.Times(width, z)/6), width)
		case ImbalanceUniform:
			list[rank] = int64(below(u, uint64(width)+1))
		case ImbalanceExponential:
			list[rank] = draw.Times(width, draw.NegLog(u|1)) / 2
		}
	}
	if i.Order == OrderSorted {
		slices.Sort(list)
	}
	return list
}

func below(random, n uint64) uint64 {
	hi, _ := bits.Mul64(random, n)
	return hi
}

// end completes the result of an imbalance; nil stays nil.
func (r *ImbalanceResult) end(t Time) *ImbalanceResult {
	if r != nil && r.Balanced > 0 {
		r.Slowdown = float64(t) / float64(r.Balanced)
	}
	return r
}
