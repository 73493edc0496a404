package run

import (
	"fmt"

	"fabricast/pacing"
)

// CollectivePacing summarizes how the calls of one collective were paced. Gaps are in packet times.
type CollectivePacing struct {
	Collective string `json:"collective"`
	// Patterns counts the different communication patterns: those of different algorithms, roots or
	// ranks. Each has its own gaps.
	Patterns int     `json:"patterns"`
	Steps    int     `json:"steps"` // of all patterns; one for a constant gap
	Least    uint32  `json:"least_gap"`
	Mean     float64 `json:"mean_gap"`
	Most     uint32  `json:"largest_gap"`
}

// pacingOfCollectives adds a summary of each paced collective, and a note for each that could not
// be paced.
func (r *Result) pacingOfCollectives(p *pacing.Pacer) {
	for _, t := range p.Told() {
		if t.Patterns > 0 {
			r.CollectivePacing = append(r.CollectivePacing, CollectivePacing{
				Collective: string(t.Kind), Patterns: t.Patterns, Steps: t.Steps,
				Least: t.Least, Mean: float64(t.Sum) / float64(t.Steps), Most: t.Most,
			})
		}
		for _, what := range t.Unpaced {
			r.Notes = append(
				r.Notes,
				fmt.Sprintf("collectives.%s.pacing does not hold for %s, which were not paced", t.Kind, what),
			)
		}
		if t.Patterns == 0 && len(t.Unpaced) == 0 {
			r.Notes = append(
				r.Notes,
				fmt.Sprintf(
					"collectives.%s.pacing had no effect: the program called no %s that could be "+
						"paced, or paced all itself",
					t.Kind, t.Kind,
				),
			)
		}
	}
}
