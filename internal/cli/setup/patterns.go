package setup

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/console"
	"fabricast/traffic"
)

// patternList is the JSON output of fabricast patterns.
type patternList struct {
	Schema   string         `json:"schema"`
	Patterns []patternEntry `json:"patterns"`
}

// patternEntry is a traffic pattern.
type patternEntry struct {
	Name       string   `json:"name"`
	Summary    string   `json:"summary"`
	Parameters []string `json:"parameters"`
	Example    string   `json:"example,omitempty"` // of the parameters, in YAML, if some are required
}

func NewPatterns() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:               "patterns",
		Short:             "List the traffic patterns that an experiment can name, with their parameters",
		Args:              cmdline.NoArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list := patternList{Schema: "fabricast.patterns/1"}
			for _, k := range traffic.Kinds() {
				list.Patterns = append(
					list.Patterns, patternEntry{k.Name, k.Summary, append([]string{}, k.Params...), k.Example},
				)
			}
			return console.Show(cmd, asJSON, &list, printPatterns)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the patterns as JSON")
	return cmd
}

func printPatterns(out io.Writer, list *patternList) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, k := range list.Patterns {
		fmt.Fprintf(w, "%s\t%s\t%s\n", k.Name, strings.Join(k.Parameters, ", "), k.Summary)
	}
	return w.Flush()
}
