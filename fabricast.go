package fabricast

import (
	"context"

	"fabricast/internal/experiment"
	"fabricast/internal/predict"
	"fabricast/internal/run"
)

// Experiment describes one prediction: a network, its nodes, and the program whose communication is
// to be predicted, or synthetic traffic in its place. Its fields are those of experiment files,
// which docs/formats/experiment.md describes; `go doc fabricast/internal/experiment.Experiment`
// lists them with those that only Go has.
//
// Fields left at zero take their defaults (see Resolve), so
//
//	fabricast.Experiment{
//		Network:  fabricast.Network{Topology: topology.TorusSpec{Dims: []int{8, 8, 8}}},
//		Workload: fabricast.Workload{Program: "alltoall", Algorithm: "bruck", Size: 4},
//	}
//
// is complete.
type Experiment experiment.Experiment

// Parts of an experiment.
type (
	Network = experiment.Network // everything between the nodes
	// Parameters are those of a model of the network without packets.
	Parameters = experiment.Parameters
	// NetworkFile is a topology that is read from a file.
	NetworkFile = experiment.NetworkFile
	Link        = experiment.Link   // a class of links, one way
	Router      = experiment.Router // what all routers have in common
	Packet      = experiment.Packet // the sizes of packets

	Node      = experiment.Node      // what all hosts have in common
	Protocol  = experiment.Protocol  // which messages ask for a rendezvous
	IOBus     = experiment.IOBus     // between the NICs of a host and its memory
	Work      = experiment.Work      // on the data of collectives
	Intra     = experiment.Intra     // messages between ranks of one node
	Mapping   = experiment.Mapping   // on which host each rank runs
	Partition = experiment.Partition // how processes and workers divide the network

	Workload    = experiment.Workload    // a program by name, with its parameters
	Collectives = experiment.Collectives // algorithms and pacing of collectives
	Collective  = experiment.Collective  // what is said of one of them
	Pacing      = experiment.Pacing      // pauses between packets
	SizeClass   = experiment.SizeClass   // urgency of messages, by size
	Imbalance   = experiment.Imbalance   // ranks that begin late
	Noise       = experiment.Noise       // ranks that lose their processor for a while
	Engine      = experiment.Engine      // how an experiment is simulated
	Compute     = experiment.Compute     // what computation of a program in C costs
	Factor      = experiment.Factor      // a positive number

	Job        = experiment.Job        // one of several programs at once
	Placement  = experiment.Placement  // which hosts it gets
	Trace      = experiment.Trace      // that it replays
	Operations = experiment.Operations // per second

	Traffic     = experiment.Traffic     // synthetic traffic instead of a program
	Pattern     = experiment.Pattern     // where its messages go
	PatternPart = experiment.PatternPart // a class of destinations in a mix
	SizeShare   = experiment.SizeShare   // a part of a distribution of sizes
	Arrivals    = experiment.Arrivals    // how messages follow one another
	Measure     = experiment.Measure     // how long to measure

	Recording     = experiment.Recording     // what a run records beside its result
	BinRecording  = experiment.BinRecording  // how long the intervals of bins are
	BufferLogging = experiment.BufferLogging // whose packets are logged, and when
)

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
