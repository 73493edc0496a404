package reports

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/console"
	"fabricast/internal/cli/ending"
	"fabricast/internal/leftover"
	"fabricast/report"
	"fabricast/report/data"
)

// modelFlags holds the flags of fabricast compare for runs of an experiment with several network
// models.
type modelFlags struct {
	models     []string
	experiment cmdline.ExperimentFlags
	workers    int
	out        string
}

func (f *modelFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.models, "models", nil,
		"run an experiment on these `models` of its network, and compare them: "+
			strings.Join(experiment.ModelNames(), ", "))
	f.experiment.Register(cmd)
	cmdline.Count(cmd.Flags(), &f.workers, "workers", 1, "with --models, how many cores simulate at once "+
		"(default all)")
	cmd.Flags().StringVar(&f.out, "out", "", "with --models, keep the results in this `folder`, by model")
	cmdline.Completes(cmd, "models", experiment.ModelNames()...)
}

// check returns an error for invalid combinations of flags.
func (f *modelFlags) check(cmd *cobra.Command, args []string) error {
	if len(f.models) == 0 {
		return cmdline.NoneChanged(cmd, "without --models, which runs an experiment", "set", "seed", "workers", "out")
	}
	if len(args) != 1 {
		return cmdline.WrongArguments(cmd, args, "the file of one experiment, with --models")
	}
	if len(f.models) < 2 {
		return cmdline.Usage(cmd, fmt.Errorf("found --models %s, expected at least two models", f.models[0]))
	}
	for i, m := range f.models {
		if !slices.Contains(experiment.ModelNames(), m) || slices.Contains(f.models[:i], m) {
			return cmdline.Usage(cmd, fmt.Errorf("found --models %s, expected each once of %s",
				strings.Join(f.models, ","), strings.Join(experiment.ModelNames(), ", ")))
		}
	}
	return nil
}

// compareModels runs an experiment with each network model and compares the results.
func (f *compareFlags) compareModels(cmd *cobra.Command, file string) error {
	folder := f.models.out
	if folder == "" {
		temp, remove, err := leftover.TempDir("fabricast-")
		if err != nil {
			return err
		}
		defer remove()
		folder = temp
	}
	paths, err := f.models.run(cmd, file, folder)
	if err != nil {
		return err
	}
	if f.html != "" {
		return writeReport(cmd, f.html, paths)
	}
	c, err := ending.UntilInterrupted(
		cmd.Context(), func() (*data.Comparison, error) { return data.Compare(paths...) },
	)
	if err != nil {
		return err
	}
	for i, model := range f.models.models {
		c.Runs[i].Name = model
		if f.models.out == "" { // temporary folders do not outlive the command
			c.Runs[i].Path = model
		}
	}
	return console.Show(cmd, f.json, c, report.Compare)
}

// run runs the experiment with each model. It stores the results in one subfolder per model.
func (f *modelFlags) run(cmd *cobra.Command, file, folder string) (paths []string, err error) {
	set := f.experiment.Set
	for _, model := range f.models {
		f.experiment.Set = append(slices.Clip(set), "network.model="+model)
		e, err := f.experiment.Load(cmd, file)
		if err != nil {
			return nil, err
		}
		path := filepath.Join(folder, model)
		result, err := console.Run(cmd, e, fabricast.Workers(f.workers), fabricast.Record(path))
		if err != nil {
			return nil, err
		}
		for _, text := range result.Notes {
			console.TellNote(cmd, model+": "+text)
		}
		paths = append(paths, path)
	}
	return paths, nil
}
