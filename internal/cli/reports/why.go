package reports

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/console"
	"fabricast/internal/cli/ending"
	"fabricast/internal/leftover"
	"fabricast/internal/why"
	"fabricast/record"
)

// whyFlags holds the flags of fabricast why.
type whyFlags struct {
	experiment cmdline.ExperimentFlags
	workers    int
	json       bool
}

func NewWhy() *cobra.Command {
	var f whyFlags
	cmd := &cobra.Command{
		Use:   "why FOLDER | FILE.yaml",
		Short: "Explain the predicted time of a run by its critical path",
		Long: `Explain the predicted time of a run by its critical path: from the end of the last rank back to the
beginning, through what ranks do and through the messages that they wait for. The times of its
segments sum to the predicted time. The folder must be that of a run with --record causes; an
experiment is run first.`,
		Example: `  fabricast why examples/quickstart.yaml
  fabricast run examples/quickstart.yaml --record causes --out results/a
  fabricast why results/a --json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return cmdline.WrongArguments(cmd, args, "a result folder or the file of an experiment")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.why(cmd, args[0]) },
	}
	f.experiment.Register(cmd)
	cmdline.Count(cmd.Flags(), &f.workers, "workers", 1, "with a file, how many cores simulate at once (default all)")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the path as JSON")
	return cmd
}

func (f *whyFlags) why(cmd *cobra.Command, path string) error {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return f.ofExperiment(cmd, path)
	}
	if err := cmdline.NoneChanged(cmd, "with a folder, whose run has ended", "set", "seed", "workers"); err != nil {
		return err
	}
	return f.ofFolder(cmd, path, path)
}

// ofExperiment runs an experiment in a temporary folder, and explains it.
func (f *whyFlags) ofExperiment(cmd *cobra.Command, file string) error {
	e, err := f.experiment.Load(cmd, file)
	if err != nil {
		return err
	}
	e.Record = experiment.Recording{}
	e.Record.Set("causes")
	temp, remove, err := leftover.TempDir("fabricast-")
	if err != nil {
		return err
	}
	defer remove()
	folder := filepath.Join(temp, "run")
	options := []fabricast.Option{fabricast.Workers(f.workers), fabricast.Record(folder)}
	end := func() {}
	if terminal := console.TerminalOf(cmd.ErrOrStderr()); terminal != nil {
		line := console.NewProgressLine(terminal)
		options, end = append(options, fabricast.OnProgress(console.ProgressInterval, line.OfRun())), line.Clear
	}
	_, err = e.Run(cmd.Context(), options...)
	end()
	if err != nil {
		return err
	}
	return f.ofFolder(cmd, folder, file)
}

// ofFolder explains the run in a folder. name is what the user calls it.
func (f *whyFlags) ofFolder(cmd *cobra.Command, path, name string) error {
	folder, err := record.Open(path)
	if err != nil {
		return err
	}
	p, err := ending.UntilInterrupted(cmd.Context(), func() (*why.Path, error) { return why.Find(folder) })
	switch {
	case errors.Is(err, why.ErrNoCauses):
		return cmdline.Usage(cmd, fmt.Errorf("%s %w: run with --record causes", name, err))
	case err != nil:
		return fmt.Errorf("%s: %w", name, err)
	}
	return console.Show(cmd, f.json, p, why.Text)
}
