package run

import (
	"slices"

	"fabricast/experiment"
	"fabricast/internal/restart"
	"fabricast/internal/units"
)

// Goodput is what becomes of a job that saves checkpoints and restarts after failures. Times are in
// seconds, and means of Trials lives of the job.
type Goodput struct {
	Work     float64 `json:"work_s"` // without failures and checkpoints
	Save     float64 `json:"save_s"` // of a checkpoint
	Restart  float64 `json:"restart_s"`
	Period   float64 `json:"period_s"`         // of work between two checkpoints
	MTTF     float64 `json:"mttf_s,omitempty"` // mean time to a failure; 0: failures at given times
	Trials   int     `json:"trials"`
	Ends     bool    `json:"ends"`     // whether the job ends; the fields below are 0 if not
	Time     float64 `json:"time_s"`   // with checkpoints and failures
	Failures float64 `json:"failures"` // number
	Lost     float64 `json:"lost_s"`   // since the last checkpoint, at failures
	Goodput  float64 `json:"goodput"`  // work / time
	// Expected is the goodput by Daly's formula, if failures have a rate.
	Expected float64 `json:"expected_goodput,omitempty"`
}

// trials is the number of lives over which Goodput averages if failures are drawn.
const trials = 1000

// goodput returns what becomes of a job whose program takes a given time on some hosts; nil if the
// experiment has no checkpoints, or the job is too long.
func goodput(e *experiment.Resolved, takes units.Time, hosts int) *Goodput {
	if !e.Checkpoint.Given() || takes <= 0 {
		return nil
	}
	m, ok := e.Checkpoint.Model(takes, hosts, e.Seed)
	if !ok || m.Work == 0 {
		return nil
	}
	const second = float64(units.Second / units.Nanosecond)
	g := &Goodput{
		Work: float64(m.Work) / second, Save: float64(m.Save) / second, Restart: float64(m.Restart) / second,
		Period: float64(m.Period) / second, MTTF: float64(m.MTTF) / second, Trials: trials,
	}
	if m.MTTF == 0 {
		g.Trials = 1
	} else {
		g.Expected = float64(m.Work) / restart.Expected(&m)
	}
	var mean restart.Mean
	if mean, g.Ends = m.Average(g.Trials); g.Ends {
		g.Time, g.Failures, g.Lost = mean.Time/second, mean.Failures, mean.Lost/second
		g.Goodput = float64(m.Work) / mean.Time
	}
	return g
}

// goodput returns what becomes of the program as a job with checkpoints; nil unless all ranks have ended.
func (p *program) goodput() *Goodput {
	sums := p.world.Stats()
	if sums.Finished < sums.Ranks {
		return nil
	}
	hosts := slices.Clone(p.Hosts)
	slices.Sort(hosts)
	return goodput(p.Experiment, sums.End-p.Start, len(slices.Compact(hosts)))
}
