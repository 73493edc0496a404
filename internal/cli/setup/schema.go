package setup

import (
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"fabricast/experiment"
	"fabricast/internal/atlas"
	"fabricast/internal/cli/cmdline"
	"fabricast/internal/config"
	"fabricast/internal/difference"
	"fabricast/internal/place"
	"fabricast/internal/schema"
	"fabricast/internal/why"
	"fabricast/sweep"
	"fabricast/tune"
)

// schemas maps each kind of file to its JSON Schema.
var schemas = map[string]func() *schema.Schema{
	"experiment": experiment.Schema, "sweep": sweep.FileSchema, "study": sweep.StudySchema,
	"why": why.OutputSchema, "difference": difference.OutputSchema, "tune": tune.OutputSchema,
	"place": place.OutputSchema, "failures": atlas.OutputSchema,
}

func NewSchema() *cobra.Command {
	kinds := slices.Sorted(maps.Keys(schemas))
	return &cobra.Command{
		Use:   "schema [experiment|sweep|study|why|difference|tune|place|failures]",
		Short: "Print the JSON Schema of a kind of file, by which editors complete and check",
		Long: `Print the JSON Schema (draft 2020-12) of experiments, or of sweeps or studies, by which editors with a
YAML language server complete and check; or that of what fabricast why --json prints, compare
--first-difference --json, tune --json, place --json or failures --json. A file says by which schema in its first line:

  # yaml-language-server: $schema=experiment.json`,
		Example: `  fabricast schema > experiment.json
  fabricast schema sweep > sweep.json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return cmdline.WrongArguments(cmd, args, "at most one of "+config.OneOf(kinds))
			}
			if len(args) == 1 && schemas[args[0]] == nil {
				return cmdline.Usage(
					cmd,
					cmdline.Suggested(
						fmt.Errorf("found %s, expected %s", args[0], config.OneOf(kinds)), args[0],
						kinds,
					),
				)
			}
			return nil
		},
		ValidArgsFunction: cobra.FixedCompletions(kinds, cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			kind := append(args, "experiment")[0]
			text, err := schemas[kind]().JSON()
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(text)
			return err
		},
	}
}
