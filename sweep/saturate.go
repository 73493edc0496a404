package sweep

import (
	"context"
	"fmt"

	"fabricast"
	"fabricast/internal/config"
	"fabricast/traffic"
)

// Saturation is the result of a search for the saturation point of a network: the highest load at
// which the network keeps up with its sources. Loads are fractions of the host links' bandwidth.
type Saturation struct {
	Schema     string             `json:"schema"`
	Version    string             `json:"version"`
	Criterion  string             `json:"criterion"`
	Stable     fabricast.Fraction `json:"stable"`     // the highest load found stable; 0: none
	Saturated  fabricast.Fraction `json:"saturated"`  // the lowest load found unstable; 0: none
	Throughput float64            `json:"throughput"` // accepted load at the highest load tried
	// accepted load, at the highest load tried, of the host that received least
	Least float64          `json:"least"`
	Steps []SaturationStep `json:"steps"`

	trials []trial
}

// SaturationStep is a load that was tried, with its measurements.
type SaturationStep struct {
	Load     fabricast.Fraction `json:"load"`
	Stable   bool               `json:"stable"`
	Accepted float64            `json:"accepted"`
	Latency  float64            `json:"latency_ps"` // meaningless if saturated
	Growth   float64            `json:"growth"`
	Hash     string             `json:"result_hash"`

	SaturatedBy traffic.Cause `json:"saturated_by,omitempty"`
	WorstGrowth float64       `json:"worst_growth"` // highest growth of a single source
}

// SaturationSchema is the schema name and version of a Saturation as JSON.
const SaturationSchema = "fabricast.saturation/1"

// Search holds the range and precision of a search for the saturation point.
type Search struct {
	From, To   fabricast.Fraction // lowest and highest load
	Resolution fabricast.Fraction // the search ends when the interval is at most this wide
	Folder     string             // folder of stored results, so that no load is run twice; "": none
	Options    []fabricast.Option // of each run
	Progress   func(SaturationStep)
	// Damaged is as in Options.
	Damaged func(file, point, damage string)
}

// Saturate finds the saturation point of an experiment with open-loop traffic by bisection. It
// tries both ends of the range, then repeatedly the middle of the remaining interval. It returns a
// configuration error for experiments without open-loop traffic.
func Saturate(ctx context.Context, e *fabricast.Experiment, s Search) (*Saturation, error) {
	if !e.HasTraffic() || e.Traffic.Window != 0 {
		return nil, fabricast.NewConfigError(
			config.Problems{
				{
					Field:    "traffic",
					Found:    "no load",
					Expected: "synthetic traffic with a load",
					Hint: "in place of workload, or of traffic.window, write for example " +
						"traffic: {load: 20%, pattern: uniform}",
				},
			},
		)
	}
	r := &Saturation{Schema: SaturationSchema, Version: fabricast.FullVersion()}
	r.Criterion = fmt.Sprintf(
		"stable: sources fall behind by at most %s of the offered load, and none by more than %s",
		percent(e.Traffic.Measure.Tolerance), percent(5*e.Traffic.Measure.Tolerance),
	)
	run, err := s.runner(ctx)
	if err != nil {
		return nil, err
	}
	try := func(load fabricast.Fraction) (bool, error) {
		at := *e
		at.Traffic.Load = load
		result, err := run(&at)
		if err != nil {
			return false, fmt.Errorf("at a load of %s: %w", load, err)
		}
		r.take(trial{load, &at, result})
		if s.Progress != nil {
			s.Progress(r.Steps[len(r.Steps)-1])
		}
		return result.Traffic.Stable, nil
	}
	return r, bisect(s.From, s.To, s.Resolution, try)
}

// runner returns a function that runs an experiment, or loads its stored result.
func (s *Search) runner(ctx context.Context) (func(*fabricast.Experiment) (*fabricast.Result, error), error) {
	if s.Folder == "" {
		return func(e *fabricast.Experiment) (*fabricast.Result, error) { return e.Run(ctx, s.Options...) }, nil
	}
	kept, err := openStore(s.Folder)
	return func(e *fabricast.Experiment) (*fabricast.Result, error) {
		key, err := e.Fingerprint()
		if err != nil {
			return nil, err
		}
		point := []Label{{"load", e.Traffic.Load.String()}}
		r, damage := kept.load(key)
		if r != nil {
			return r, nil
		}
		if damage != "" && s.Damaged != nil {
			s.Damaged(kept.file(key), labelText(point), damage)
		}
		if r, err = e.Run(ctx, s.Options...); err != nil {
			return nil, err
		}
		return r, kept.save(key, point, r)
	}, err
}

// take records the result of a load.
func (r *Saturation) take(x trial) {
	load, t := x.load, x.result.Traffic
	r.trials = append(r.trials, x)
	r.Steps = append(r.Steps, SaturationStep{
		Load: load, Stable: t.Stable, Accepted: t.Accepted.Mean, Latency: t.Latency.Mean, Growth: t.Growth,
		Hash: x.result.Hash, SaturatedBy: t.SaturatedBy, WorstGrowth: t.WorstGrowth,
	})
	if t.Stable {
		r.Stable = max(r.Stable, load)
	} else if r.Saturated == 0 || load < r.Saturated {
		r.Saturated = load
	}
	if len(r.Steps) == 1 { // the first load tried is the highest
		r.Throughput, r.Least = t.Accepted.Mean, t.Accepted.Min
	}
}

// bisect narrows the interval between a stable and an unstable load to the given resolution. try
// reports whether a load is stable.
func bisect(low, high, resolution fabricast.Fraction, try func(fabricast.Fraction) (bool, error)) error {
	for _, end := range []fabricast.Fraction{high, low} {
		stable, err := try(end)
		if err != nil || stable == (end == high) {
			return err
		}
	}
	// Loads are rounded to multiples of grid, which gives short decimal numbers.
	grid := fabricast.Percent
	for grid > resolution && grid >= 10 {
		grid /= 10
	}
	for high-low > resolution {
		middle := (low + high) / 2 / grid * grid
		if middle <= low || middle >= high {
			middle = (low + high) / 2
		}
		stable, err := try(middle)
		if err != nil {
			return err
		}
		if stable {
			low = middle
		} else {
			high = middle
		}
	}
	return nil
}

func percent(f fabricast.Fraction) string { return fmt.Sprintf("%.4g %%", 100*f.Float()) }
