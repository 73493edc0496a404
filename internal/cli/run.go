package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"fabricast"
	"fabricast/report"
)

// runFlags are the flags of fabricast run.
type runFlags struct {
	experiment experimentFlags
	workers    int
	out        string
	json       bool
}

func newRun() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run FILE.yaml",
		Short: "Run an experiment and print its result",
		Example: `  fabricast run examples/quickstart.yaml
  fabricast run examples/quickstart.yaml --set workload.algorithm=ring --out results/ring`,
		Args:              oneFile,
		ValidArgsFunction: experimentFiles,
		RunE:              func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	f.experiment.register(cmd)
	cmd.Flags().IntVar(&f.workers, "workers", 0, "how many cores simulate at once; does not change the result (default all)")
	cmd.Flags().StringVar(&f.out, "out", "", "leave tables of links and ranks, and all that is needed to repeat the run, in this `folder`")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the result as JSON")
	return cmd
}

func (f *runFlags) run(cmd *cobra.Command, file string) error {
	if f.workers < 0 || f.workers == 0 && cmd.Flags().Changed("workers") {
		return usage(cmd, fmt.Errorf("found --workers %d, expected a number of at least 1", f.workers))
	}
	e, err := f.experiment.load(cmd, file)
	if err != nil {
		return err
	}
	line := newProgressLine(cmd.ErrOrStderr())
	options := []fabricast.Option{fabricast.Workers(f.workers), fabricast.Record(f.out)}
	if line != nil {
		options = append(options, fabricast.OnProgress(progressInterval, line.ofRun()))
	}
	result, err := e.Run(cmd.Context(), options...)
	line.clear()
	if err != nil {
		return err
	}
	return f.print(cmd, result)
}

func (f *runFlags) print(cmd *cobra.Command, r *fabricast.Result) error {
	if !f.json {
		return report.Text(cmd.OutOrStdout(), r)
	}
	text, err := r.JSON()
	if err != nil {
		return err
	}
	_, err = cmd.OutOrStdout().Write(text)
	return err
}
