package fabricast

import (
	"fmt"
	"strconv"
	"strings"

	"fabricast/collective"
	"fabricast/internal/config"
	"fabricast/pacing"
)

// Collective is what is said of one of the collectives.
type Collective struct {
	Algorithm string `yaml:"algorithm,omitempty" scalar:"true"`
	// Pacing is that of all calls on which the program itself says nothing (mpi.Comm.Pace, Workload.Pacing).
	Pacing Pacing `yaml:"pacing,omitempty"`
}

// MarshalYAML writes an algorithm alone in the short form.
func (c Collective) MarshalYAML() (any, error) {
	if !c.Pacing.given() {
		return c.Algorithm, nil
	}
	type long Collective
	return long(c), nil
}

// unfoldCollectives makes room beside a table and algorithms in the short form for a field of collectives that is to be replaced.
func unfoldCollectives(root *config.Node, path string) *config.Node {
	if !strings.HasPrefix(path, "collectives.") {
		return root
	}
	root = config.Unfold(root, "collectives", "table")
	for _, kind := range collective.Kinds() {
		if strings.HasPrefix(path, "collectives."+string(kind)+".") {
			root = config.Unfold(root, "collectives."+string(kind), "algorithm")
		}
	}
	return root
}

// collectives fills in what is not said of pacing.
func (f filler) collectives(c *Collectives) {
	for i, one := range c.each() {
		f.pacing("collectives."+string(collective.Kinds()[i])+".pacing", &one.Pacing)
	}
}

// pacesAny tells whether any collective is paced.
func (c *Collectives) pacesAny() bool {
	for _, one := range c.each() {
		if one.Pacing.given() {
			return true
		}
	}
	return false
}

// pacer paces the collectives of a program; nil if none is to be.
func (e *Experiment) pacer(plan *plan) *pacing.Pacer {
	if !e.Collectives.pacesAny() {
		return nil
	}
	rules := map[collective.Kind]pacing.Rule{}
	for i, one := range e.Collectives.each() {
		if one.Pacing.given() {
			rules[collective.Kinds()[i]] = one.Pacing.rule()
		}
	}
	return pacing.NewPacer(plan.paths(), plan.hosts, rules)
}

func (p *Pacing) rule() pacing.Rule {
	r := pacing.Rule{Every: p.every()}
	if p.Gap == PacingMOD {
		r.MOD, r.Scale = true, p.scaled
		return r
	}
	gap, _ := strconv.ParseUint(p.Gap, 10, 32)
	r.Gap = uint32(gap)
	return r
}

// CollectivePacing sums up how the calls of a collective were paced.
type CollectivePacing struct {
	Collective string `json:"collective"`
	// Patterns are those of different algorithms, roots or ranks. Each has its gaps.
	Patterns int     `json:"patterns"`
	Steps    int     `json:"steps"` // of all patterns; of a constant gap, one each
	Least    uint32  `json:"least_gap"`
	Mean     float64 `json:"mean_gap"`
	Most     uint32  `json:"largest_gap"`
}

// pacingOfCollectives sums up how a run's collectives were paced, and notes what was not.
func (r *Result) pacingOfCollectives(p *pacing.Pacer) {
	for _, t := range p.Told() {
		if t.Patterns > 0 {
			r.CollectivePacing = append(r.CollectivePacing, CollectivePacing{
				Collective: string(t.Kind), Patterns: t.Patterns, Steps: t.Steps,
				Least: t.Least, Mean: float64(t.Sum) / float64(t.Steps), Most: t.Most,
			})
		}
		for _, what := range t.Unpaced {
			r.Notes = append(r.Notes, fmt.Sprintf("collectives.%s.pacing does not hold for %s, which were not paced", t.Kind, what))
		}
		if t.Patterns == 0 && len(t.Unpaced) == 0 {
			r.Notes = append(r.Notes, fmt.Sprintf("collectives.%s.pacing had no effect: the program called no %s that could be paced, or paced all itself", t.Kind, t.Kind))
		}
	}
}
