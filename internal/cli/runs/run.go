package runs

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/console"
	"fabricast/internal/cli/ending"
	"fabricast/internal/cli/reports"
	"fabricast/internal/humanize"
	"fabricast/internal/leftover"
	"fabricast/internal/panics"
)

// runFlags holds the flags of fabricast run.
type runFlags struct {
	experiment cmdline.ExperimentFlags
	workers    int
	out        string
	force      bool
	json       bool
	view       bool
	watch      bool
	viewing    reports.ViewFlags
	record     []string
	checkpoint string // interval between checkpoints; "": none
	program    programFlags
	trace      traceFlags
	jobs       jobFlags
	told       []string // notes printed before the run
	fellows    fellows  // processes that share the run
	// the run to resume and its schedule of checkpoints; nil for a new run
	saved    *fabricast.SavedRun
	schedule *fabricast.Checkpoints
	look     *fabricast.Look // period of the saved run to simulate again; nil: resume the run
	keep     int             // number of earlier checkpoints to keep
	blocks   int             // minimum number of partition blocks; 0: one per worker
	command  *keptCommand    // the C program, for checkpoints; nil if there is none
	commands []*keptCommand  // the C programs of jobs, for checkpoints
}

func NewRun() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run FILE.yaml [--trace PATH | -n RANKS -- PROGRAM [ARGUMENT]...]",
		Short: "Run an experiment, or a trace or a program in C on its network, and print the result",
		Example: `  fabricast run examples/quickstart.yaml
  fabricast run ibnetdiscover.txt --nodes 'node[001-064]' --set workload.program=allreduce --set workload.size=1MiB
  fabricast run examples/quickstart.yaml --set workload.algorithm=ring --out results/ring
  fabricast run examples/quickstart.yaml -n 64 -- ./program
  fabricast run examples/quickstart.yaml --trace traces/stencil.otf2`,
		Args:              fileAndProgram,
		ValidArgsFunction: cmdline.ExperimentFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			return f.together(cmd, func() error {
				if f.view {
					return f.runAndView(cmd, args)
				}
				return f.runOne(cmd, args)
			})
		},
	}
	f.experiment.Register(cmd)
	f.experiment.RegisterNodes(cmd)
	f.experiment.RegisterStreams(cmd)
	f.program.register(cmd)
	f.trace.register(cmd)
	f.jobs.register(cmd)
	cmdline.Count(cmd.Flags(), &f.workers, "workers", 1,
		"how many cores simulate at once; does not change the "+
			"result (default all)")
	cmd.Flags().StringVar(&f.out, "out", "",
		"leave tables of links and ranks, and all that is needed to "+
			"repeat the run, in this `folder`")
	cmd.Flags().BoolVar(&f.force, "force", false, "with --out, overwrite the result of another "+
		"experiment, or the checkpoint of a run that has not ended")
	cmd.Flags().StringVar(&f.checkpoint, "checkpoint", "", checkpointHelp)
	cmdline.Count(cmd.Flags(), &f.keep, "keep", leastKept, keepHelp)
	cmdline.Count(cmd.Flags(), &f.blocks, "blocks", 1, blocksHelp)
	cmd.Flags().StringSliceVar(&f.record, "record", nil,
		"with --out, record these too: "+strings.Join(recordingNames(), ", "))
	cmd.Flags().BoolVar(&f.json, "json", false, "print the result as JSON")
	cmd.Flags().BoolVar(&f.view, "view", false,
		"serve the report of the run to a browser while it goes on, "+
			"and after it until Ctrl-C")
	cmd.Flags().BoolVar(&f.watch, "watch", false,
		"show on the terminal how the run goes on: its speed, the "+
			"time left, the hottest links")
	f.viewing.Register(cmd)
	cmdline.Completes(cmd, "record", experiment.RecordingNames...)
	return cmd
}

// runOne runs the experiment itself, or a C program or trace on its network.
func (f *runFlags) runOne(cmd *cobra.Command, args []string) error {
	switch {
	case f.jobs.interference && (len(args) > 1 || f.trace.path != ""):
		return cmdline.Usage(cmd, errNoJobs)
	case len(f.jobs.list) > 0 && (len(args) > 1 || f.trace.path != ""):
		return cmdline.Usage(cmd, errors.New("found --job beside another program, expected that as a job "+
			"too: --job command='./prog 16',ranks=64 or --job trace=PATH"))
	case len(args) > 1 && f.trace.path != "":
		return cmdline.Usage(cmd, errors.New("found --trace and a program, expected one of them"))
	case len(args) > 1:
		return f.runProgram(cmd, args[0], args[1:])
	case f.trace.path != "":
		return f.runTrace(cmd, args[0])
	}
	return f.run(cmd, args[0])
}

// runAndView is like runOne, and serves the report of the run at the same time. The report needs a
// result folder, so a temporary one is used if none is given. Only the first of several processes
// serves the report.
func (f *runFlags) runAndView(cmd *cobra.Command, args []string) error {
	if f.out == "" {
		temp, remove, err := leftover.TempDir("fabricast-")
		if err != nil {
			return err
		}
		defer remove()
		f.out = filepath.Join(temp, "run")
	}
	if !f.fellows.First() {
		return f.runOne(cmd, args)
	}
	return f.viewing.Beside(cmd, f.out, func() error {
		err := f.runOne(cmd, args)
		if err == nil {
			f.fellows.end() // other processes need not wait while the user views the report
		}
		return err
	})
}

func (f *runFlags) run(cmd *cobra.Command, file string) error {
	e, err := f.loadRun(cmd, file)
	if err = f.fellows.settle(err); err != nil {
		return err
	}
	if e.HasJobs() {
		if f.checkpoint != "" {
			if err := f.fellows.settle(f.keepCommands(e)); err != nil {
				return err
			}
		}
		return f.runJobs(cmd, e)
	}
	if f.jobs.interference {
		return cmdline.Usage(cmd, errNoJobs)
	}
	if e.Workload.Command != "" {
		return f.runNamed(cmd, e)
	}
	if err := cmdline.NoneChanged(cmd, noProgram, programOnly...); err != nil {
		return err
	}
	if f.watch {
		if err := watchable(cmd, nil); err != nil {
			return err
		}
	}
	f.records(e)
	result, err := f.simulate(cmd, e)
	if result == nil {
		return err
	}
	f.tellNotes(cmd, result)
	// print the result even if recording failed
	return errors.Join(f.print(cmd, result, err == nil), err)
}

// loadRun reads the experiment and applies the flags, including those for jobs.
func (f *runFlags) loadRun(cmd *cobra.Command, file string) (*fabricast.Experiment, error) {
	if len(f.jobs.list) > 0 {
		return f.loadJobs(cmd, file)
	}
	return f.load(cmd, file)
}

// simulate runs a new or saved experiment, and shows the progress on a terminal.
func (f *runFlags) simulate(cmd *cobra.Command, e *fabricast.Experiment) (*fabricast.Result, error) {
	if f.look != nil {
		return f.lookCloser(cmd)
	}
	if f.saved != nil {
		return f.carryOut(cmd, f.schedule, f.recording(e, f.saved.Run))
	}
	if err := f.fellows.settle(f.keepEarlier(e)); err != nil {
		return nil, err
	}
	if err := f.fellows.settle(f.dropCheckpoint()); err != nil {
		return nil, err
	}
	schedule, err := scheduleOf(cmd, f.checkpoint)
	if err != nil {
		return nil, err
	}
	if schedule != nil {
		schedule.Keep, schedule.Blocks = f.keep, f.blocks
		schedule.Flags, schedule.Trace = f.flagsToKeep(), f.trace.path
	}
	return f.carryOut(cmd, schedule, f.recording(e, e.Run))
}

// recording returns a function that calls run and also records the traces requested by flags.
func (f *runFlags) recording(e *fabricast.Experiment, run runOf) runOf {
	return func(ctx context.Context, options ...fabricast.Option) (*fabricast.Result, error) {
		if f.recordsTrace() {
			return f.recordTraces(ctx, e, run, options)
		}
		result, err := run(ctx, options...)
		f.fellows.agreed = true
		return result, err
	}
}

// carryOut calls run with the options given by flags, and shows the progress on a terminal.
func (f *runFlags) carryOut(
	cmd *cobra.Command,
	schedule *fabricast.Checkpoints,
	run runOf,
) (*fabricast.Result, error) {
	defer f.tellWriting(cmd)()
	options := []fabricast.Option{
		fabricast.Workers(f.workers),
		fabricast.Record(f.out),
		fabricast.Across(f.fellows.Processes),
		fabricast.OnNote(func(text string) {
			f.told = append(f.told, text)
			console.TellNote(cmd, text)
		}),
	}
	if f.jobs.interference {
		options = append(options, fabricast.Interference())
	}
	if schedule != nil {
		option, end := withCheckpoints(cmd, schedule)
		defer end()
		options = append(options, option)
	}
	terminal := console.TerminalOf(cmd.ErrOrStderr())
	switch {
	case terminal == nil:
	case f.watch:
		s := console.NewScreen(terminal)
		defer s.Clear()
		options = append(
			options, fabricast.Hottest(watchedLinks),
			fabricast.OnProgress(watchInterval, watched(s)),
		)
	default:
		line := console.NewProgressLine(terminal)
		defer line.Clear()
		options = append(options, fabricast.OnProgress(console.ProgressInterval, line.OfRun()))
	}
	return run(cmd.Context(), options...)
}

// tellWriting prints a message if an interrupted run takes longer than a second to record partial
// results. The returned function cancels the message.
func (f *runFlags) tellWriting(cmd *cobra.Command) (end func()) {
	if f.out == "" {
		return func() {}
	}
	ended := make(chan struct{})
	ending.Recordings.Add(1)
	stop := context.AfterFunc(cmd.Context(), panics.Guarded("word of an interrupted run", func() {
		select {
		case <-ended:
		case <-time.After(time.Second):
			fmt.Fprintf(
				cmd.ErrOrStderr(),
				"fabricast: interrupted, writing what was done to %s (Ctrl-C again gives it up)\n",
				f.out,
			)
		}
	}))
	return func() {
		stop()
		close(ended)
		ending.Recordings.Add(-1)
	}
}

// records adds the names in --record to the experiment's recording settings.
func (f *runFlags) records(e *fabricast.Experiment) {
	for _, name := range f.record {
		e.Record.Set(name) // ignores names of traces, which recordTraces handles
	}
}

// check returns an error for flags that are invalid regardless of the experiment.
func (f *runFlags) check(cmd *cobra.Command) error {
	for _, name := range f.record {
		if !slices.Contains(recordingNames(), name) {
			return cmdline.Usage(
				cmd,
				fmt.Errorf(
					"found --record %s, expected some of %s",
					name, strings.Join(recordingNames(), ", "),
				),
			)
		}
	}
	if f.checkpoint == "" {
		if err := cmdline.NoneChanged(cmd, "without --checkpoint", "keep", "blocks"); err != nil {
			return err
		}
	}
	if f.trace.path == "" {
		if err := cmdline.NoneChanged(cmd, "without --trace, of which it says how to replay it", traceOnly...); err != nil {
			return err
		}
	}
	if len(f.record) > 0 && f.out == "" {
		return cmdline.Usage(cmd, errors.New("found --record without --out, expected a folder for what is recorded"))
	}
	if f.force && f.out == "" {
		return cmdline.Usage(
			cmd,
			errors.New("found --force without --out, expected a folder whose result may be overwritten"),
		)
	}
	if !f.view {
		if err := cmdline.NoneChanged(cmd, "without --view, which serves the report", "listen"); err != nil {
			return err
		}
	}
	f.experiment.Set = append(f.experiment.Set, f.program.assignments()...)
	return nil
}

// lookCloser simulates a period of a saved run again. It prints a note if the run ends before the
// period does.
func (f *runFlags) lookCloser(cmd *cobra.Command) (*fabricast.Result, error) {
	again := func(ctx context.Context, options ...fabricast.Option) (*fabricast.Result, error) {
		return f.saved.Look(ctx, f.out, *f.look, options...)
	}
	result, err := f.carryOut(cmd, nil, again)
	if err != nil || result.SimulatedTime >= max(f.look.From, f.look.Until) {
		return result, err
	}
	what := "before the end of the period"
	if result.SimulatedTime < f.look.From {
		what = "before the period: nothing of it was recorded"
	}
	console.TellNote(cmd, fmt.Sprintf(
		"the run ends at %s of simulated time, %s", humanize.Time(result.SimulatedTime), what,
	))
	return result, nil
}

// fileAndProgram returns an error unless the arguments are a file, optionally followed by -- and a
// program with its arguments.
func fileAndProgram(cmd *cobra.Command, args []string) error {
	if dash := cmd.ArgsLenAtDash(); dash == 1 && len(args) > 1 {
		return nil
	}
	return cmdline.OneFile(cmd, args)
}

// load reads the experiment. With --view, it also selects the recording of bins.
func (f *runFlags) load(cmd *cobra.Command, file string) (*fabricast.Experiment, error) {
	e, err := f.experiment.Load(cmd, file)
	if err == nil {
		f.recordForView(e)
	}
	return e, err
}

// recordForView selects the recording of bins if the run is viewed.
func (f *runFlags) recordForView(e *fabricast.Experiment) {
	if f.view {
		e.Record.Set("bins")
	}
}
