package fabricast

import (
	"context"

	"fabricast/experiment"
	"fabricast/internal/predict"
	"fabricast/internal/run"
)

// Experiment describes one prediction: a network, its nodes, and the program whose communication is
// to be predicted, or synthetic traffic instead of a program. Its fields are those of experiment
// files, which docs/formats/experiment.md describes; `go doc fabricast/experiment.Experiment` lists
// them together with those that exist only in Go.
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

// Resolve fills in the defaults and checks the experiment. It returns a *ConfigError that lists all
// mistakes. Run calls it; call it yourself to see the defaults before a run.
//
// Copies of a resolved experiment share its deadlock checks, which are made once per network. To
// run many experiments on one network, resolve one of them and modify copies of it.
func (e *Experiment) Resolve() error {
	r, err := experiment.Resolve(*e.form())
	*e = Experiment(r.KeepingReports().Experiment)
	return err
}

// HasTraffic reports whether the experiment has synthetic traffic instead of a program.
func (e *Experiment) HasTraffic() bool { return e.form().HasTraffic() }

// HasJobs reports whether the experiment consists of several concurrent jobs.
func (e *Experiment) HasJobs() bool { return e.form().HasJobs() }

// Opened reports whether the experiment can run as it is. If false, traces or C programs of its
// jobs must be opened first, as the fabricast command does.
func (e *Experiment) Opened() bool { return e.form().Opened() }

// FindCommand returns a *ConfigError if the program that Workload.Command names is not there.
func (e *Experiment) FindCommand() error { return e.form().FindCommand() }

// Refuse returns a *ConfigError about a field, such as jobs[0].ranks.
func (e *Experiment) Refuse(field, found, expected, hint string) error {
	return e.form().Refuse(field, found, expected, hint)
}

// Baseline returns the experiment without imbalance and noise, if its run time must be known before
// the experiment itself can run: the imbalance is then given as a share of that time. It returns
// nil if that time is not needed or Imbalance.Of gives it. The experiment must be resolved.
func (e *Experiment) Baseline() *Experiment { return (*Experiment)(e.form().Baseline()) }

// YAML returns the experiment as a file that Load can read. For a resolved experiment the file
// contains every default and so suffices to repeat the run, except that it omits a program given as
// a Go function.
func (e *Experiment) YAML() ([]byte, error) { return e.form().YAML() }

// Fingerprint returns a text that identifies a resolved experiment, the contents of its input
// files, and the version of Fabricast. Experiments with equal fingerprints have equal results.
func (e *Experiment) Fingerprint() (string, error) { return e.form().Fingerprint() }

// Run simulates the experiment and returns the prediction. It does not change the experiment.
//
// When the context is cancelled, the run ends within a fraction of a second. The package
// documentation lists the types of errors.
func (e *Experiment) Run(ctx context.Context, options ...Option) (*Result, error) {
	r, err := experiment.Resolve(*e.form())
	if err = run.Settle(err, options...); err != nil {
		return nil, err
	}
	return run.Run(ctx, r, options...)
}

// Preview makes all the checks that a run makes before it starts, and returns what can be computed
// without a simulation. It does not change the experiment.
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

// Forecast makes the same checks as Preview but returns only the estimated memory use of a run. It
// is faster than Preview, which computes the distances between all hosts.
func (e *Experiment) Forecast() (Forecast, error) {
	r, err := experiment.Resolve(*e.form())
	if err != nil {
		return Forecast{}, err
	}
	return predict.Memory(r)
}

// Layout returns the experiment's network without its routing. The experiment needs no program or
// traffic.
func (e *Experiment) Layout() (*Layout, error) {
	r, err := experiment.ResolveNetwork(*e.form())
	if err != nil {
		return nil, err
	}
	return predict.NewLayout(r)
}

// Machine returns an experiment with the network and the nodes of a real machine (package
// machines), but no program. shape has the meaning of network.shape in files; without it, the whole
// machine is returned. An invalid name or shape gives a *ConfigError.
func Machine(name string, shape ...int) (*Experiment, error) {
	e, err := experiment.Machine(name, shape...)
	return (*Experiment)(e), err
}
