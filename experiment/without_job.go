package experiment

import (
	"slices"
	"strings"

	"fabricast/internal/config"
)

// WithoutJob returns a copy of the experiment without job i. Where the fields of later jobs were written is
// known by their new numbers.
func (e *Experiment) WithoutJob(i int) Experiment {
	fewer := *e
	fewer.Jobs = slices.Delete(slices.Clone(e.Jobs), i, i+1)
	if e.positions == nil {
		return fewer
	}
	fewer.positions = config.Positions{}
	for path, at := range e.positions {
		kept := true
		for k := i; k < len(e.Jobs); k++ {
			rest, ofJob := strings.CutPrefix(path, jobPath(k, ""))
			if !ofJob {
				continue
			}
			path, kept = jobPath(k-1, "")+rest, k > i
			break
		}
		if kept {
			fewer.positions[path] = at
		}
	}
	return fewer
}
