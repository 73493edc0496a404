package setup

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"fabricast/internal/cli/cmdline"
	"fabricast/traffic"
)

func NewPatterns() *cobra.Command {
	return &cobra.Command{
		Use:               "patterns",
		Short:             "List the traffic patterns that an experiment can name, with their parameters",
		Args:              cmdline.NoArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return listPatterns(cmd) },
	}
}

func listPatterns(cmd *cobra.Command) error {
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	for _, k := range traffic.Kinds() {
		fmt.Fprintf(w, "%s\t%s\t%s\n", k.Name, strings.Join(k.Params, ", "), k.Summary)
	}
	return w.Flush()
}
