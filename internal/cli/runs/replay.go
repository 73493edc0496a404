package runs

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"fabricast"
	"fabricast/collective"
	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/ending"
	"fabricast/internal/cli/traces"
	"fabricast/replay"
	"fabricast/trace"
	"fabricast/trace/formats"
)

// traceFlags holds the flags of fabricast run for traces.
type traceFlags struct {
	path       string
	partial    bool
	operations cmdline.Operations
	sets       bool
	compute    []string // values NAME=FACTOR
	scale      replay.Scale
}

// traceOnly lists the flags that have no effect without --trace. Jobs with traces have fields for
// the same purposes.
var traceOnly = []string{"partial", "task-sets", "scale-compute", "scale-messages", "operations"}

func (f *traceFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.path, "trace", "", "replay the trace in this file or "+
		"folder: "+strings.Join(formats.Names(), ", "))
	cmd.Flags().BoolVar(&f.partial, "partial", false, "with --trace, replay a damaged trace up to the damage")
	cmd.Flags().BoolVar(&f.sets, "task-sets", false,
		"with a --trace of tasks, start all that are ready "+
			"before looking at what has come")
	cmd.Flags().StringArrayVar(&f.compute, "scale-compute", nil,
		"with --trace, multiply computation of a "+
			"region or a rank, as in solve=0.5 or 3=2")
	f.scale.Messages = 1
	cmd.Flags().Var(cmdline.Factor(&f.scale.Messages), "scale-messages",
		"with --trace, multiply sizes of "+
			"messages and collectives")
	cmdline.OperationsFlag(cmd.Flags(), &f.operations)
}

// open opens the trace.
func (f *traceFlags) open() (trace.Trace, error) {
	rates, err := f.operations.Rates()
	if err != nil {
		return nil, err
	}
	return formats.Open(f.path, trace.Options{Operations: rates})
}

// scales parses the factors for the computation times of regions and ranks.
func (f *traceFlags) scales() error {
	f.scale.Regions, f.scale.Ranks = map[string]float64{}, map[int]float64{}
	for _, given := range f.compute {
		i := strings.LastIndexByte(given, '=')
		var by float64
		if i < 1 || cmdline.Factor(&by).Set(given[i+1:]) != nil {
			return fmt.Errorf(
				"found --scale-compute %s, expected a region or a rank and its factor, %s, as in "+
					"solve=0.5 or 3=2",
				given, cmdline.Factor(&by).Expected(),
			)
		}
		if rank, err := strconv.Atoi(given[:i]); err == nil {
			f.scale.Ranks[rank] = by
		} else {
			f.scale.Regions[given[:i]] = by
		}
	}
	return nil
}

// runTrace replays a trace on the network of an experiment.
func (f *runFlags) runTrace(cmd *cobra.Command, file string) error {
	if err := f.trace.scales(); err != nil {
		return cmdline.Usage(cmd, err)
	}
	source, err := f.trace.open()
	if err != nil {
		return &ending.UsageError{Err: err}
	}
	if n := f.program.ranks; n != 0 && n != source.Ranks() {
		return cmdline.Usage(
			cmd,
			fmt.Errorf("found -n %d, expected %d, the ranks of the trace, or no -n", n, source.Ranks()),
		)
	}
	f.experiment.Set = append(f.experiment.Set, fmt.Sprintf("ranks=%d", source.Ranks()))
	e, err := f.experiment.LoadMachine(cmd, file)
	if err != nil {
		return err
	}
	return f.replay(cmd, source, e)
}

// replay replays a trace on the network of a loaded experiment.
func (f *runFlags) replay(cmd *cobra.Command, source trace.Trace, e *fabricast.Experiment) error {
	if f.watch {
		if err := watchable(cmd, nil); err != nil {
			return err
		}
	}
	f.records(e)
	job, err := f.replayOf(source, e)
	if err == nil && f.saved == nil { // a resumed run was checked when it started
		err = traces.EntersRegions(cmd.Context(), source, slices.Sorted(maps.Keys(f.trace.scale.Regions)))
	}
	if err != nil {
		return cmdline.UsageUnlessEnded(cmd, err)
	}
	f.recordForView(e)
	e.Launch, e.TwoSided, e.Command = job.Launcher(), !trace.OneSided(source), f.againReplayed()
	e.Apart = true
	result, err := f.simulate(cmd, e)
	report := newReplayReport(job.Report())
	if err == nil {
		err = report.gather(f.fellows.Processes)
	}
	report.tell(cmd)
	if result == nil {
		return err
	}
	f.tellNotes(cmd, result)
	return errors.Join(f.print(cmd, result, err == nil), err)
}

// replayOf prepares the replay of a trace according to the experiment and the flags.
func (f *runFlags) replayOf(source trace.Trace, e *fabricast.Experiment) (*replay.Job, error) {
	table, err := e.Collectives.Choose()
	if err != nil {
		return nil, err
	}
	f.trace.scale.Compute = float64(e.Compute.Factor)
	o := replay.Options{
		Table: table, Algorithms: map[collective.Kind]collective.Algorithm{},
		Scale: f.trace.scale, Partial: f.trace.partial, Sets: f.trace.sets,
	}
	for _, a := range f.program.algorithms {
		kind, algorithm, _, paced := cutCollective(a)
		if algorithm == "" || paced {
			return nil, fmt.Errorf(
				"found --collective %s, expected a collective and its algorithm, as in allreduce=ring",
				a,
			)
		}
		o.Algorithms[collective.Kind(kind)] = collective.Algorithm(algorithm)
	}
	return replay.New(source, o)
}
