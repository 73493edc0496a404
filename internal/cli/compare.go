package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"fabricast/report"
	"fabricast/report/data"
)

// compareFlags are the flags of fabricast compare.
type compareFlags struct {
	json bool
	html string
}

func newCompare() *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare FOLDER FOLDER...",
		Short: "Compare the results of runs side by side",
		Long: `Compare the results that runs have left in folders: their figures side by side, how they stand to those
of the first, and in what the experiments differ.`,
		Example: `  fabricast compare results/bruck results/ring
  fabricast compare results/bruck results/ring --html both.html`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return wrongArguments(cmd, args, "the folders of at least two results")
			}
			return nil
		},
		ValidArgsFunction: folders,
		RunE:              func(cmd *cobra.Command, args []string) error { return f.compare(cmd, args) },
	}
	cmd.Flags().BoolVar(&f.json, "json", false, "print the comparison as JSON")
	cmd.Flags().StringVar(&f.html, "html", "", "make a report of all of the runs, an HTML `file`, instead")
	return cmd
}

func (f *compareFlags) compare(cmd *cobra.Command, paths []string) error {
	if f.html != "" {
		if f.json {
			return usage(cmd, errors.New("found both --json and --html, expected one of them"))
		}
		return writeReport(cmd, f.html, paths)
	}
	c, err := data.Compare(paths...)
	if err != nil {
		return err
	}
	for _, p := range c.Problems {
		fmt.Fprintln(cmd.ErrOrStderr(), "fabricast: "+p)
	}
	return show(cmd, f.json, c, report.Compare)
}
