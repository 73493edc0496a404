package runs

import (
	"io"

	"github.com/spf13/cobra"

	"fabricast"
	"fabricast/internal/cli/console"
	"fabricast/record"
	"fabricast/report"
)

func (f *runFlags) print(cmd *cobra.Command, r *fabricast.Result, recorded bool) error {
	if !f.json {
		return f.text(cmd.OutOrStdout(), r, recorded)
	}
	text, err := r.JSON()
	if err != nil {
		return err
	}
	_, err = cmd.OutOrStdout().Write(text)
	return err
}

// text writes the result as text, with a heat map if bins were recorded.
func (f *runFlags) text(w io.Writer, r *fabricast.Result, recorded bool) error {
	if err := report.Text(w, r); err != nil || f.out == "" || !recorded {
		return err
	}
	folder, err := record.Open(f.out)
	if err != nil {
		return err
	}
	return report.Heat(w, folder, console.Unicode())
}
