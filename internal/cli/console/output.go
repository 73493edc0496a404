package console

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// Show prints data as JSON if asJSON is true, otherwise as text.
func Show[T any](cmd *cobra.Command, asJSON bool, data T, text func(io.Writer, T) error) error {
	if asJSON {
		return PrintJSON(cmd, data)
	}
	return text(cmd.OutOrStdout(), data)
}

func PrintJSON(cmd *cobra.Command, v any) error {
	w := json.NewEncoder(cmd.OutOrStdout())
	w.SetIndent("", "  ")
	return w.Encode(v)
}

func TellNote(cmd *cobra.Command, text string) { fmt.Fprintln(cmd.ErrOrStderr(), "note:", text) }
