package setup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/console"
	"fabricast/internal/cli/ending"
	"fabricast/internal/cli/traces"
	"fabricast/internal/config"
	"fabricast/internal/units"
	"fabricast/report"
	"fabricast/sweep"
)

// checkFlags holds the flags of fabricast check.
type checkFlags struct {
	experiment cmdline.ExperimentFlags
	json       bool
	memory     string
	processes  int
}

func NewCheck() *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use: "check FILE.yaml",
		Short: "Check an experiment and print it with every default, its zero-load latency and " +
			"memory forecast",
		Long: `Check an experiment without running it. It is printed with every default filled in, as a
YAML file that can be run; comments tell the latency of a message on the idle network and how much
memory a run will need. Of a sweep or a study all points are checked, with their networks and with
the expressions of columns, plots and findings.`,
		Args:              cmdline.OneFile,
		ValidArgsFunction: cmdline.ExperimentFiles,
		RunE:              func(cmd *cobra.Command, args []string) error { return f.check(cmd, args[0]) },
	}
	f.experiment.Register(cmd)
	f.experiment.RegisterNodes(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, "print what is known before the run as JSON")
	cmd.Flags().StringVar(&f.memory, "memory", "",
		"print how many processes share a run if each may take so "+
			"much memory, such as 64GiB")
	cmdline.Count(cmd.Flags(), &f.processes, "processes", 1, "compare the kinds of partition if so "+
		"many processes share a run")
	return cmd
}

func (f *checkFlags) check(cmd *cobra.Command, file string) error {
	memory, err := f.memoryOfEach(cmd)
	if err != nil {
		return err
	}
	root, err := ending.UntilInterrupted(cmd.Context(), func() (*config.Node, error) {
		root, _, err := experiment.Open(file)
		return root, err
	})
	if err != nil {
		return err
	}
	if fabricast.IsSweep(root) {
		return f.checkSweep(cmd, root, file)
	}
	e, err := f.experiment.Parsed(cmd, root, file)
	if err != nil {
		return err
	}
	if err := errors.Join(e.FindCommand(), traces.SizeJobs(e)); err != nil {
		return err
	}
	preview, err := ending.UntilInterrupted(cmd.Context(), func() (*fabricast.Preview, error) {
		preview, err := e.Preview()
		if err == nil {
			err = errors.Join(
				preview.FindPacing(), preview.FindCapacity(cmd.Context()), preview.FindWork(),
			)
		}
		return preview, err
	})
	if err != nil {
		return err
	}
	if memory > 0 {
		if err := share(preview, memory); err != nil {
			return err
		}
	}
	if f.processes > 1 {
		if err := findDivisions(cmd.Context(), preview, f.processes); err != nil {
			return err
		}
	}
	return console.Show(cmd, f.json, preview, printCheck)
}

// findDivisions evaluates each kind of partition for the preview. It returns at once if ctx ends.
func findDivisions(ctx context.Context, preview *fabricast.Preview, processes int) error {
	_, err := ending.UntilInterrupted(ctx, func() (struct{}, error) {
		err := preview.FindDivisions(ctx, processes)
		if ctx.Err() != nil {
			return struct{}{}, &ending.InterruptedError{Err: ctx.Err()}
		}
		return struct{}{}, fabricast.NewConfigError(err)
	})
	return err
}

// memoryOfEach returns the value of --memory; 0 if not given.
func (f *checkFlags) memoryOfEach(cmd *cobra.Command) (units.Bytes, error) {
	if f.memory == "" {
		return 0, nil
	}
	memory, err := units.ParseBytes(f.memory)
	if err != nil || memory < 1 {
		return 0, cmdline.Usage(cmd, fmt.Errorf(
			"found --memory %s, expected memory of a process such as 64GiB", f.memory,
		))
	}
	return memory, nil
}

// share adds the number of processes required for a run if each has the given memory.
func share(preview *fabricast.Preview, memory units.Bytes) error {
	n := preview.Memory.Processes(memory)
	if n == 0 {
		return fmt.Errorf(
			"no number of processes is enough: each holds %s of the whole network, more than --memory %s",
			report.Memory(preview.Memory.Whole), report.Memory(memory),
		)
	}
	preview.Shared = &fabricast.Shared{Processes: n, Each: preview.Memory.Each(n)}
	return nil
}

func (f *checkFlags) checkSweep(cmd *cobra.Command, root *config.Node, path string) error {
	if len(f.experiment.Assignments(cmd)) > 0 {
		return cmdline.Usage(
			cmd,
			errors.New(
				"found --set or --seed with a sweep, expected an experiment, or the values among "+
					"the sweep's axes",
			),
		)
	}
	file, err := sweep.Of(root, path)
	if err != nil {
		return err
	}
	s, err := ending.UntilInterrupted(
		cmd.Context(),
		func() (*sweep.Survey, error) { return file.Survey(cmd.Context()) },
	)
	if err != nil {
		return err
	}
	return console.Show(cmd, f.json, s, printSurvey)
}

func printSurvey(w io.Writer, s *sweep.Survey) error {
	var axes []string
	for _, a := range s.Axes {
		axes = append(axes, fmt.Sprintf("%s (%s)", a.Name, report.Count(a.Values)))
	}
	points := report.Count(s.Points)
	if s.Large > 0 {
		points += fmt.Sprintf(", and %s large", report.Count(s.Large))
	}
	_, err := fmt.Fprintf(
		w,
		"title            %s\naxes             %s\npoints           %s\nplots, findings  %d, "+
			"%d\nmemory forecast  up to %s, at %s\n",
		s.Title, strings.Join(axes, ", "), points, s.Plots, s.Findings,
		report.Memory(s.Memory.Total), s.MemoryOf,
	)
	return err
}

func printCheck(w io.Writer, preview *fabricast.Preview) error {
	e := preview.Experiment
	text, err := e.YAML()
	if err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	return report.Check(w, preview)
}
