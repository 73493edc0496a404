package reports

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"fabricast/internal/cli/console"
	"fabricast/record"
	"fabricast/report"
	"fabricast/report/data"
)

// writeTexts writes, for each result folder, the result of its run as text, or the progress of a
// run that is still running.
func writeTexts(cmd *cobra.Command, paths []string) error {
	for i, path := range paths {
		if len(paths) > 1 {
			if i > 0 {
				fmt.Fprintln(cmd.OutOrStdout())
			}
			fmt.Fprintln(cmd.OutOrStdout(), path)
		}
		if err := writeText(cmd, path); err != nil {
			return err
		}
	}
	return nil
}

func writeText(cmd *cobra.Command, path string) error {
	folder, err := record.Open(path)
	if err != nil {
		return err
	}
	for _, p := range folder.Problems() {
		fmt.Fprintf(cmd.ErrOrStderr(), "fabricast: %s: %s\n", path, p)
	}
	r, err := data.ResultOf(folder)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	w := cmd.OutOrStdout()
	if r == nil && folder.State() == record.Running {
		progress, err := folder.Progress()
		if err != nil {
			return fmt.Errorf("%s: the run is going on, but how far it has got cannot be read: %w", path, err)
		}
		return report.Progress(w, progress)
	}
	if r == nil {
		return fmt.Errorf("%s: found no result, expected that of a run", path)
	}
	return errors.Join(report.Text(w, r), report.Heat(w, folder, console.Unicode()))
}
