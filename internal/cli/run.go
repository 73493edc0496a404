package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fabricast"
)

// runFlags are the flags of fabricast run.
type runFlags struct {
	experiment experimentFlags
	workers    int
	out        string
	json       bool
	view       bool
	watch      bool
	viewing    viewFlags
	record     []string
	program    programFlags
	told       []string // notes, before the run
}

func newRun() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run FILE.yaml [-n RANKS -- PROGRAM [ARGUMENT]...]",
		Short: "Run an experiment, or a program in C on its network, and print the result",
		Example: `  fabricast run examples/quickstart.yaml
  fabricast run examples/quickstart.yaml --set workload.algorithm=ring --out results/ring
  fabricast run examples/quickstart.yaml -n 64 -- ./program`,
		Args:              fileAndProgram,
		ValidArgsFunction: experimentFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			if f.view {
				return f.runAndView(cmd, args)
			}
			return f.runOne(cmd, args)
		},
	}
	f.experiment.register(cmd)
	f.program.register(cmd)
	cmd.Flags().IntVar(&f.workers, "workers", 0, "how many cores simulate at once; does not change the result (default all)")
	cmd.Flags().StringVar(&f.out, "out", "", "leave tables of links and ranks, and all that is needed to repeat the run, in this `folder`")
	cmd.Flags().StringSliceVar(&f.record, "record", nil, "with --out, record these too: "+strings.Join(fabricast.RecordingNames, ", "))
	cmd.Flags().BoolVar(&f.json, "json", false, "print the result as JSON")
	cmd.Flags().BoolVar(&f.view, "view", false, "serve the report of the run to a browser while it goes on, and after it until Ctrl-C")
	cmd.Flags().BoolVar(&f.watch, "watch", false, "show on the terminal how the run goes on: its speed, the time left, the hottest links")
	f.viewing.register(cmd)
	return cmd
}

// runOne runs the experiment, or the program on its network.
func (f *runFlags) runOne(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return f.runProgram(cmd, args[0], args[1:])
	}
	return f.run(cmd, args[0])
}

// runAndView is runOne with its report beside it, which needs a folder: a temporary one if none is given.
func (f *runFlags) runAndView(cmd *cobra.Command, args []string) error {
	if f.out == "" {
		temp, err := os.MkdirTemp("", "fabricast-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temp)
		f.out = filepath.Join(temp, "run")
	}
	return f.viewing.beside(cmd, f.out, func() error { return f.runOne(cmd, args) })
}

func (f *runFlags) run(cmd *cobra.Command, file string) error {
	if f.watch {
		if err := watchable(cmd, nil); err != nil {
			return err
		}
	}
	e, err := f.load(cmd, file)
	if err != nil {
		return err
	}
	f.records(e)
	result, err := f.simulate(cmd, e)
	if result == nil {
		return err
	}
	f.tellNotes(cmd, result)
	return errors.Join(f.print(cmd, result), err) // what could not be recorded is known all the same
}

// simulate runs an experiment, and shows its progress if there is a terminal.
func (f *runFlags) simulate(cmd *cobra.Command, e *fabricast.Experiment) (*fabricast.Result, error) {
	defer f.tellWriting(cmd)()
	options := []fabricast.Option{fabricast.Workers(f.workers), fabricast.Record(f.out), fabricast.OnNote(func(text string) {
		f.told = append(f.told, text)
		tellNote(cmd, text)
	})}
	terminal := terminalOf(cmd.ErrOrStderr())
	switch {
	case terminal == nil:
	case f.watch:
		s := newScreen(terminal)
		defer s.clear()
		options = append(options, fabricast.Hottest(watchedLinks), fabricast.OnProgress(watchInterval, s.ofRun()))
	default:
		line := newProgressLine(terminal)
		defer line.clear()
		options = append(options, fabricast.OnProgress(progressInterval, line.ofRun()))
	}
	return e.Run(cmd.Context(), options...)
}

// tellWriting says, if an interrupted run takes longer than a second, that it writes down what was done. The caller ends that.
func (f *runFlags) tellWriting(cmd *cobra.Command) (end func()) {
	if f.out == "" {
		return func() {}
	}
	ended := make(chan struct{})
	stop := context.AfterFunc(cmd.Context(), func() {
		select {
		case <-ended:
		case <-time.After(time.Second):
			fmt.Fprintf(cmd.ErrOrStderr(), "fabricast: interrupted, writing what was done to %s (Ctrl-C again gives it up)\n", f.out)
		}
	})
	return func() {
		stop()
		close(ended)
	}
}

// records has the experiment record what --record names.
func (f *runFlags) records(e *fabricast.Experiment) {
	for _, name := range f.record {
		e.Record.Set(name)
	}
}

// check looks at the flags by themselves.
func (f *runFlags) check(cmd *cobra.Command) error {
	for _, flag := range []struct {
		name  string
		value int
	}{{"workers", f.workers}, {"ranks", f.program.ranks}} {
		if flag.value < 0 || flag.value == 0 && cmd.Flags().Changed(flag.name) {
			return usage(cmd, fmt.Errorf("found --%s %d, expected a number of at least 1", flag.name, flag.value))
		}
	}
	for _, name := range f.record {
		if !slices.Contains(fabricast.RecordingNames, name) {
			return usage(cmd, fmt.Errorf("found --record %s, expected some of %s", name, strings.Join(fabricast.RecordingNames, ", ")))
		}
	}
	if len(f.record) > 0 && f.out == "" {
		return usage(cmd, errors.New("found --record without --out, expected a folder for what is recorded"))
	}
	f.experiment.set = append(f.experiment.set, f.program.assignments()...)
	return nil
}

// fileAndProgram demands one file, and after -- a program with its arguments.
func fileAndProgram(cmd *cobra.Command, args []string) error {
	if dash := cmd.ArgsLenAtDash(); dash == 1 && len(args) > 1 {
		return nil
	}
	return oneFile(cmd, args)
}

func (f *runFlags) print(cmd *cobra.Command, r *fabricast.Result) error {
	if !f.json {
		return f.text(cmd.OutOrStdout(), r)
	}
	text, err := r.JSON()
	if err != nil {
		return err
	}
	_, err = cmd.OutOrStdout().Write(text)
	return err
}
