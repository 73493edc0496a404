package calibrate

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"fabricast"
	"fabricast/internal/humanize"
)

// Calibration holds the input of a calibration.
type Calibration struct {
	Base         *fabricast.Document // the network's file
	Measurements []Measurement
	// Fit names the parameters to be fitted. Nil means all parameters of the network.
	Fit []string
	// Hold is the share of measurements that are held out for validation, from 0 to 0.5.
	Hold float64
	// Progress is the file in which simulated times are stored. If it is empty, they are not
	// stored.
	Progress string
	// OnProgress, if not nil, is called with descriptions of the progress.
	OnProgress func(text string)
}

// Schema names the JSON layout of a Result and its version.
const Schema = "fabricast.calibration/1"

// Result is the result of a calibration.
type Result struct {
	Schema       string    `json:"schema"`
	Parameters   []Found   `json:"parameters"`
	Fitted       Errors    `json:"fitted"`
	Held         Errors    `json:"held"` // errors of the measurements that were held out
	Before       Errors    `json:"before"`
	Measurements []Outcome `json:"measurements"`
	Simulations  int       `json:"simulations"`
	Reused       int       `json:"reused"` // number of simulations whose results came from an earlier run or another step

	sets []string
	base *fabricast.Document
}

// Found is the result for one parameter.
type Found struct {
	Name       string   `json:"name"`
	Fields     []string `json:"fields"`
	Value      string   `json:"value"`
	Low        string   `json:"low,omitempty"` // limits of the 95 % confidence interval
	High       string   `json:"high,omitempty"`
	Determined bool     `json:"determined"`
	Note       string   `json:"note,omitempty"` // for a parameter that is not determined: why, and what value it has
}

// Errors summarizes the deviations of predictions from measurements. Each is the absolute value of
// the logarithm of their ratio, as a share.
type Errors struct {
	Count  int     `json:"count"`
	Median float64 `json:"median"`
	P90    float64 `json:"p90"`
	Most   float64 `json:"most"`
}

// Outcome is a measurement with its prediction, in ps.
type Outcome struct {
	Of        string  `json:"of"`
	Measured  float64 `json:"measured_ps"`
	Predicted float64 `json:"predicted_ps"`
	Error     float64 `json:"error"` // predicted time / measured time, minus 1
	Held      bool    `json:"held"`
}

// undetermined is the half-width of a confidence interval, in logarithms, from which on a parameter
// counts as not determined: a factor of two either way.
const undetermined = math.Ln2

// Run performs the calibration. The error is the context's error, a *fabricast.ConfigError if the
// file does not describe the networks of the measurements, or the error of a simulation.
func (c *Calibration) Run(ctx context.Context) (*Result, error) {
	sim, err := newSimulator(ctx, c.Base, c.Progress)
	if err != nil {
		return nil, err
	}
	defer sim.close()
	f := &fit{sim: sim, reports: func(string) {}}
	if c.OnProgress != nil {
		f.reports = c.OnProgress
	}
	held := c.split(f)
	if err = c.start(f); err != nil {
		return nil, err
	}
	result := &Result{Schema: Schema, base: c.Base}
	if result.Before, err = c.errorsOf(sim, nil, f.list, nil); err != nil {
		return nil, err
	}
	if err := f.run(c, result); err != nil {
		return nil, err
	}
	result.sets = append(slices.Clone(f.fixed), assignments(f.params, values(f.x))...)
	if result.Fitted, err = c.errorsOf(sim, result.sets, f.list, result); err != nil {
		return nil, err
	}
	if result.Held, err = c.errorsOf(sim, result.sets, held, result); err != nil {
		return nil, err
	}
	for i := range result.Measurements {
		result.Measurements[i].Held = i >= len(f.list)
	}
	result.Simulations, result.Reused = sim.runs, sim.reused
	if c.Progress != "" {
		return result, os.Remove(c.Progress)
	}
	return result, nil
}

// split divides the measurements into those that are fitted and those that are held out, which are
// spread evenly over the file.
func (c *Calibration) split(f *fit) (held []Measurement) {
	due := 0.5
	for i, m := range c.Measurements {
		due += c.Hold
		if due >= 1 && i > 0 && i < len(c.Measurements)-1 {
			due--
			held = append(held, m)
			continue
		}
		f.list = append(f.list, m)
	}
	return held
}

// start sets the parameters to be fitted, and the logarithms of their initial values.
func (c *Calibration) start(f *fit) error {
	e, _, err := experimentOf(c.Base, &f.list[0])
	if err != nil {
		return err
	}
	m := e.Network.Model
	f.routerless = m != "" && m != "packet" && m != "contention-free"
	all, at, err := starts(e, f.routerless)
	if err != nil {
		return err
	}
	for i, p := range all {
		if c.fits(p.Name) {
			f.params, f.first = append(f.params, p), append(f.first, math.Log(at[i]))
		}
	}
	f.x = slices.Clone(f.first)
	return nil
}

func (c *Calibration) fits(name string) bool { return c.Fit == nil || slices.Contains(c.Fit, name) }

// run fits the parameters: first all numeric ones, except those that are not determined; then the
// discrete ones; then the numeric ones again.
func (f *fit) run(c *Calibration, result *Result) error {
	if err := f.park(); err != nil {
		return err
	}
	if err := f.settle(); err != nil {
		return err
	}
	if err := f.words(c, result); err != nil {
		return err
	}
	for _, p := range f.parked {
		result.Parameters = append(result.Parameters, notDetermined(p.Parameter, "the "+
			"measurements do not depend on it"))
	}
	for {
		half, err := f.intervals()
		if err != nil {
			return err
		}
		worst := -1
		for p := range half {
			if half[p] >= undetermined {
				worst = p // the last parameter, since it is the least important
			}
		}
		if worst < 0 {
			f.found(half, result)
			return nil
		}
		why := "the measurements are the same with half of it and twice of it"
		if math.IsInf(half[worst], 1) {
			why = "the measurements do not depend on it"
		}
		f.drop(worst, why, result)
		if err := f.settle(); err != nil {
			return err
		}
	}
}

// park excludes parameters that no measurement depends on from the fit.
func (f *fit) park() error {
	var err error
	if f.residual, err = f.at(f.x); err != nil {
		return err
	}
	j, err := f.derivatives()
	if err != nil {
		return err
	}
	seen := f.sensitive(j)
	for p := len(seen) - 1; p >= 0; p-- {
		if !seen[p] {
			f.parked = append(f.parked, parked{f.params[p], f.x[p]})
			f.remove(p)
		}
	}
	return nil
}

// parked is a parameter that is excluded from the fit, with the logarithm of its value.
type parked struct {
	Parameter
	x float64
}

// unpark includes a parameter in the fit again if it was excluded.
func (f *fit) unpark(name string) {
	at := slices.IndexFunc(f.parked, func(p parked) bool { return p.Name == name })
	if at < 0 {
		return
	}
	p := f.parked[at]
	f.parked = slices.Delete(slices.Clone(f.parked), at, at+1)
	f.params, f.x = append(slices.Clip(f.params), p.Parameter), append(slices.Clip(f.x), p.x)
	f.first = append(slices.Clip(f.first), p.x)
}

// remove removes a parameter from the search.
func (f *fit) remove(p int) {
	f.params, f.first = slices.Delete(f.params, p, p+1), slices.Delete(f.first, p, p+1)
	f.x = slices.Delete(f.x, p, p+1)
}

// drop removes a parameter from the search and keeps its value from the file. The other parameters
// start again.
func (f *fit) drop(p int, why string, result *Result) {
	result.Parameters = append(result.Parameters, notDetermined(f.params[p], why))
	f.remove(p)
	f.x = slices.Clone(f.first) // values fitted together with the parameter may be far off
}

// notDetermined returns the result for a parameter that keeps its value from the file.
func notDetermined(p Parameter, why string) Found {
	return Found{Name: p.Name, Fields: p.Fields, Value: "as in the file", Note: why}
}

// found records the results of the determined parameters, before those of the others.
func (f *fit) found(half []float64, result *Result) {
	var list []Found
	for p, param := range f.params {
		low, high := math.Exp(f.x[p]-half[p]), math.Exp(f.x[p]+half[p])
		list = append(list, Found{
			Name: param.Name, Fields: param.Fields, Value: param.Kind.String(math.Exp(f.x[p])),
			Low: param.Kind.String(low), High: param.Kind.String(high), Determined: true,
		})
	}
	result.Parameters = append(list, result.Parameters...)
}

// state describes the state of the search.
func (f *fit) state() string {
	return fmt.Sprintf("%s, error %.1f %%, %s", humanize.Plural(f.sim.runs, "simulation"),
		100*leastDeviation*scale(f.residual), strings.Join(assignments(f.params, values(f.x)), " "))
}

// errorsOf simulates measurements with the given settings. It adds the outcomes to the result if it
// is not nil.
func (c *Calibration) errorsOf(
	sim *simulator, sets []string, list []Measurement, result *Result,
) (Errors, error) {
	times, err := sim.times(sets, list)
	if err != nil {
		return Errors{}, err
	}
	var sizes []float64
	for i, m := range list {
		sizes = append(sizes, math.Abs(math.Log(times[i]/m.Time)))
		if result != nil {
			result.Measurements = append(result.Measurements, Outcome{
				Of: m.String(), Measured: m.Time, Predicted: times[i], Error: times[i]/m.Time - 1,
			})
		}
	}
	return Errors{
		Count: len(list), Median: quantile(sizes, 0.5), P90: quantile(sizes, 0.9), Most: quantile(sizes, 1),
	}, nil
}
