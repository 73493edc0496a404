package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"fabricast"
	"fabricast/record"
	"fabricast/report"
)

// text writes the result, and the heat map of what was recorded.
func (f *runFlags) text(w io.Writer, r *fabricast.Result) error {
	if err := report.Text(w, r); err != nil || f.out == "" {
		return err
	}
	folder, err := record.Open(f.out)
	if err != nil {
		return err
	}
	return report.Heat(w, folder, unicode())
}

// writeTexts writes what runs would have written at their ends, of the folders that they left.
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
	if folder.Result() == nil {
		return fmt.Errorf("%s: found no result, expected that of a run that has ended", path)
	}
	r := &fabricast.Result{}
	if err := json.Unmarshal(folder.Result(), r); err != nil {
		return fmt.Errorf("%s: %w", folder.Path(record.ResultFile), err)
	}
	w := cmd.OutOrStdout()
	return errors.Join(report.Text(w, r), report.Heat(w, folder, unicode()))
}
