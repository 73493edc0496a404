package fabricast

import (
	"context"

	"fabricast/experiment"
	"fabricast/internal/predict"
	"fabricast/internal/run"
)

// Experiment describes one prediction: a network, its nodes, and the program whose communication is
// to be predicted, or synthetic traffic in its place. Its fields are those of experiment files,
// which docs/formats/experiment.md describes; `go doc fabricast/experiment.Experiment`
// lists them with those that only Go has.
//
// Fields left at zero take their defaults (see Resolve), so
//
//	fabricast.Experiment{
//		Network:  experiment.Network{Topology: topology.TorusSpec{Dims: []int{8, 8, 8}}},
//		Workload: experiment.Workload{Program: "alltoall", Algorithm: "bruck", Size: 4},
//	}
//
// is complete.
type Experiment experiment.Experiment

func (e *Experiment) form() *experiment.Experiment { return (*experiment.Experiment)(e) }

// Resolve fills in the defaults and checks the experiment; mistakes are reported by a *ConfigError.
// Run does this itself; call Resolve to see the defaults before a run.
//
// A resolved experiment shares the result of the check for deadlock with its copies, one check for
// each network. To run many experiments on one network, resolve one of them and change copies of
// it.
func (e *Experiment) Resolve() error {
	r, err := experiment.Resolve(*e.form())
	*e = Experiment(r.KeepingReports().Experiment)
	return err
}

// HasTraffic reports whether the experiment has synthetic traffic instead of a program.
func (e *Experiment) HasTraffic() bool { return e.form().HasTraffic() }

// HasJobs reports whether the experiment is about several jobs at once.
func (e *Experiment) HasJobs() bool { return e.form().HasJobs() }

// Opened reports whether nothing has to be opened before the experiment can run. The command
// fabricast opens the traces and the programs in C of jobs.
func (e *Experiment) Opened() bool { return e.form().Opened() }

// Refuse is a *ConfigError about a field, such as jobs[0].ranks.
func (e *Experiment) Refuse(field, found, expected, hint string) error {
	return e.form().Refuse(field, found, expected, hint)
}

// Baseline returns the balanced experiment, without noise, whose time must be known before a
// resolved experiment can run, because an imbalance is given as a share of it; nil if there is no
// need, or Imbalance.Of gives that time.
func (e *Experiment) Baseline() *Experiment { return (*Experiment)(e.form().Baseline()) }

// YAML returns the experiment as a file that Load reads. For a resolved experiment it contains
// every default and so is enough to repeat the run, except that a program given as a Go function is
// left out.
func (e *Experiment) YAML() ([]byte, error) { return e.form().YAML() }

// Fingerprint returns a text that identifies a resolved experiment, the contents of the files that
// it names, and the version of Fabricast. Experiments with equal fingerprints have equal results.
func (e *Experiment) Fingerprint() (string, error) { return e.form().Fingerprint() }

// Run simulates the experiment and returns the prediction. It does not change the experiment.
//
// When the context is cancelled, the run ends within a fraction of a second. See the package's
// documentation for the types of errors.
func (e *Experiment) Run(ctx context.Context, options ...Option) (*Result, error) {
	r, err := experiment.Resolve(*e.form())
	if err = run.Settle(err, options...); err != nil {
		return nil, err
	}
	return run.Run(ctx, r, options...)
}

// Preview makes all checks that a run makes before it begins, and returns what can be computed
// without running. It does not change the experiment.
func (e *Experiment) Preview() (*Preview, error) {
	r, err := experiment.Resolve(*e.form())
	if err != nil {
		return nil, err
	}
	p, err := predict.NewPreview(r.KeepingReports())
	if err != nil {
		return nil, err
	}
	return &Preview{Preview: *p, Experiment: (*Experiment)(p.Experiment())}, nil
}

// Forecast makes the same checks as Preview and returns only how much memory a run will need. It is
// faster than Preview, which computes the distances of all hosts.
func (e *Experiment) Forecast() (Forecast, error) {
	r, err := experiment.Resolve(*e.form())
	if err != nil {
		return Forecast{}, err
	}
	return predict.Memory(r)
}

// Layout returns the experiment's network, without its routing. The experiment needs no program or
// traffic.
func (e *Experiment) Layout() (*Layout, error) {
	r, err := experiment.ResolveNetwork(*e.form())
	if err != nil {
		return nil, err
	}
	return predict.NewLayout(r)
}

// Machine returns the network and the nodes of a real machine (package machines), without a
// program. shape is that of network.shape in files; none is the whole machine. A *ConfigError says
// what is wrong with the name or the shape.
func Machine(name string, shape ...int) (*Experiment, error) {
	e, err := experiment.Machine(name, shape...)
	return (*Experiment)(e), err
}
