package reports

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/console"
	"fabricast/internal/cli/ending"
	"fabricast/report"
	"fabricast/report/data"
)

// compareFlags holds the flags of fabricast compare.
type compareFlags struct {
	json   bool
	html   string
	first  bool
	models modelFlags
}

func NewCompare() *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare FOLDER FOLDER... | FILE.yaml --models MODEL,MODEL...",
		Short: "Compare the results of runs side by side",
		Long: `Compare the results that runs have left in folders: their figures side by side, how
they stand to those of the first, and in what the experiments differ. With --models an experiment is
run on several models of its network, and their results are compared. With --first-difference the
first event is told at which two runs differ.`,
		Example: `  fabricast compare results/bruck results/ring
  fabricast compare results/bruck results/ring --html both.html
  fabricast compare results/bruck results/ring --first-difference
  fabricast compare examples/quickstart.yaml --models packet,contention-free,loggops`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 && !cmd.Flags().Changed("models") {
				return cmdline.WrongArguments(cmd, args, "the folders of at least two results")
			}
			return nil
		},
		ValidArgsFunction: cmdline.Folders,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.models.check(cmd, args); err != nil {
				return err
			}
			return f.compare(cmd, args)
		},
	}
	f.models.register(cmd)
	cmd.Flags().BoolVar(&f.first, "first-difference", false, "tell the first event at which two runs differ, and what "+
		"follows; without causes in a folder, its experiment is run again")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the comparison as JSON")
	cmd.Flags().StringVar(&f.html, "html", "", "make a report of all of the runs, an HTML `file`, instead")
	return cmd
}

func (f *compareFlags) compare(cmd *cobra.Command, paths []string) error {
	if f.html != "" && f.json {
		return cmdline.Usage(cmd, errors.New("found both --json and --html, expected one of them"))
	}
	if f.first {
		return f.firstDifference(cmd, paths)
	}
	if len(f.models.models) > 0 {
		return f.compareModels(cmd, paths[0])
	}
	if f.html != "" {
		return writeReport(cmd, f.html, paths)
	}
	c, err := ending.UntilInterrupted(
		cmd.Context(),
		func() (*data.Comparison, error) { return data.Compare(paths...) },
	)
	if err != nil {
		return err
	}
	for _, p := range c.Problems {
		fmt.Fprintln(cmd.ErrOrStderr(), "fabricast: "+p)
	}
	return console.Show(cmd, f.json, c, report.Compare)
}
