package tune

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"fabricast/collective"
	"fabricast/collective/libraries"
)

// result decides, after all rounds.
func (t *Tune) result() (*Result, error) {
	r := newResult(filepath.Base(t.path), t.spec.Kind)
	r.Notes = append(r.Notes, t.unfit()...)
	for _, c := range t.cells {
		out := Cell{Shape: c.network.shape.String(), Ranks: c.ranks, Bytes: c.bytes, layout: c.layout}
		for _, p := range c.ranking() {
			out.Points = append(out.Points, p.shown())
			switch {
			case p.skipped:
				r.Skipped++
			case p.err != nil:
				r.Failed++
			default:
				r.Run++
			}
		}
		if c.best() == 0 {
			return nil, fmt.Errorf(
				"no algorithm of %s ran for %d bytes on %s: %w", t.spec.Kind, c.bytes, place(out.Shape, c.ranks), c.points[0].err,
			)
		}
		r.Cells = append(r.Cells, out)
	}
	r.decide(t.spec.Kind)
	r.price(t.spec)
	return r, nil
}

func (p *point) shown() Point {
	s := Point{Algorithm: p.algorithm, Time: p.time, Bound: p.bound, Skipped: p.skipped}
	if p.err != nil {
		s.Error = p.err.Error()
	}
	return s
}

// ranking returns the points of a cell, the fastest first; then those that cannot win, by their
// bounds; then those that failed.
func (c *cell) ranking() []*point {
	list := slices.Clone(c.points)
	class := func(p *point) int {
		switch {
		case p.time > 0:
			return 0
		case p.err == nil:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(list, func(a, b *point) int {
		return cmp.Or(cmp.Compare(class(a), class(b)), cmp.Compare(a.time, b.time), cmp.Compare(a.bound, b.bound))
	})
	return list
}

// best returns the fastest point.
func (c *Cell) best() *Point { return &c.Points[0] }

// beside reports whether two cells differ in the size alone.
func (c *Cell) beside(other *Cell) bool { return c.Shape == other.Shape && c.Ranks == other.Ranks }

// find returns the point of an algorithm; nil if there is none that ran or was skipped.
func (c *Cell) find(a collective.Algorithm) *Point {
	for i := range c.Points {
		if p := &c.Points[i]; p.Algorithm == a && p.Error == "" {
			return p
		}
	}
	return nil
}

// decide finds rules and crossovers.
func (r *Result) decide(kind collective.Kind) {
	for i := range r.Cells {
		c := &r.Cells[i]
		if i == 0 || r.Cells[i-1].Shape != c.Shape {
			r.Shapes = append(r.Shapes, c.Shape)
			r.decisions = append(r.decisions, libraries.Decisions{Kind: kind})
		}
		decisions := &r.decisions[len(r.decisions)-1]
		if i == 0 || !r.Cells[i-1].beside(c) {
			decisions.Bands = append(decisions.Bands, libraries.Band{Ranks: c.Ranks})
		}
		band := &decisions.Bands[len(decisions.Bands)-1]
		step := libraries.Step{}
		for j := range c.Points {
			if c.Points[j].Error == "" {
				step.Ranking = append(step.Ranking, c.Points[j].Algorithm)
			}
		}
		if len(band.Steps) > 0 {
			before := &r.Cells[i-1]
			step.From = crossing(before, c)
			if a, b := before.best().Algorithm, c.best().Algorithm; a != b {
				r.Crossovers = append(r.Crossovers, Crossover{c.Shape, c.Ranks, before.Bytes, c.Bytes, step.From, a, b})
			}
		}
		band.Steps = append(band.Steps, step)
		r.rule(c, step.From)
	}
}

// crossing estimates the size from which the decisions of cell b hold rather than those of cell a, on
// the same number of ranks. It is above the size of a, and not above that of b. The times of the two
// fastest algorithms are taken to be straight between the sizes, both in logarithms.
func crossing(a, b *Cell) int64 {
	share := 0.5
	old, next := a.best().Algorithm, b.best().Algorithm
	if x, y := a.find(next), b.find(old); old != next && x != nil && y != nil && x.Time > 0 && y.Time > 0 {
		before := math.Log(float64(x.Time) / float64(a.best().Time))
		after := math.Log(float64(y.Time) / float64(b.best().Time))
		if before+after > 0 {
			share = before / (before + after)
		}
	}
	low, high := float64(max(a.Bytes, 1)), float64(b.Bytes)
	at := int64(math.Ceil(low * math.Pow(high/low, share)))
	return min(max(at, a.Bytes+1), b.Bytes)
}

// rule adds the decision of a cell to the rules, or to the last rule if the same algorithm is the
// fastest.
func (r *Result) rule(c *Cell, from int64) {
	lead, second := math.Inf(1), ""
	for _, p := range c.Points[1:] {
		if p.Time > 0 {
			lead, second = ratio(p.Time, c.best().Time), string(p.Algorithm)
			break
		}
	}
	n := len(r.Rules) - 1
	if n < 0 || r.Rules[n].Shape != c.Shape || r.Rules[n].Ranks != c.Ranks || r.Rules[n].Algorithm != c.best().Algorithm {
		r.Rules = append(r.Rules, Rule{
			Shape: c.Shape, Ranks: c.Ranks, From: from, Algorithm: c.best().Algorithm, LeastLead: math.Inf(1),
		})
		n++
	}
	rule := &r.Rules[n]
	if second == "" {
		if math.IsInf(rule.LeastLead, 1) {
			rule.LeastLead = 0
		}
		return
	}
	if lead < rule.LeastLead || rule.Second == "" {
		rule.LeastLead, rule.Second = lead, second
	}
	rule.MostLead = max(rule.MostLead, lead)
}

// ratio returns by which share of the time best a time is longer.
func ratio(time, best int64) float64 { return float64(time)/float64(best) - 1 }

// price computes the costs of choices.
func (r *Result) price(spec *Spec) {
	var names []collective.Algorithm
	for i := range r.Cells {
		for j := range r.Cells[i].Points {
			names = append(names, r.Cells[i].Points[j].Algorithm)
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		c := r.cost(func(*Cell) collective.Algorithm { return name })
		if c.Name = string(name); c.Cells > 0 {
			r.Costs = append(r.Costs, c)
		}
	}
	slices.SortStableFunc(r.Costs, func(a, b Cost) int {
		return cmp.Or(-cmp.Compare(a.Cells, b.Cells), cmp.Compare(a.Mean, b.Mean))
	})
	for _, t := range spec.Compare {
		c := r.cost(func(c *Cell) collective.Algorithm { return spec.chosen(t, c.Ranks, c.Bytes, c.layout) })
		c.Name = t.Name
		r.Compared = append(r.Compared, c)
	}
}

// cost returns the cost of what choose chooses for each cell.
func (r *Result) cost(choose func(*Cell) collective.Algorithm) (cost Cost) {
	sum := 0.0
	for i := range r.Cells {
		c := &r.Cells[i]
		a := choose(c)
		p := c.find(a)
		if p == nil {
			continue
		}
		time := p.Time
		if time == 0 {
			time = p.Bound
			cost.AtLeast = true
		}
		x := ratio(time, c.best().Time)
		if x == 0 {
			cost.Right++
		}
		sum += math.Log1p(x)
		if cost.Cells == 0 || x > cost.Worst {
			cost.Worst, cost.WorstAlgorithm = x, a
			cost.WorstShape, cost.WorstRanks, cost.WorstBytes = c.Shape, c.Ranks, c.Bytes
		}
		cost.Cells++
	}
	if cost.Cells > 0 {
		cost.Mean = math.Expm1(sum / float64(cost.Cells))
	}
	return cost
}

// unfit returns a note about each algorithm that was asked for and that no number of ranks suits, nor
// where they are: a table without it would look as if it were slow.
func (t *Tune) unfit() (notes []string) {
	for _, asked := range t.spec.Algorithms {
		if !slices.ContainsFunc(t.cells, func(c *cell) bool { return c.has(asked) }) {
			notes = append(notes, string(asked)+" cannot run on these ranks, where they are (docs/collectives.md)")
		}
	}
	return notes
}

// has reports whether the cell has points of an algorithm, with any options.
func (c *cell) has(a collective.Algorithm) bool {
	return slices.ContainsFunc(c.points, func(p *point) bool {
		name, _, _ := strings.Cut(string(p.algorithm), collective.OptionMark)
		return name == string(a)
	})
}
