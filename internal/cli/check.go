package cli

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"fabricast"
	"fabricast/report"
)

// checkFlags are the flags of fabricast check.
type checkFlags struct {
	experiment experimentFlags
	json       bool
}

func newCheck() *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check FILE.yaml",
		Short: "Check an experiment and print it with every default, its zero-load latency and memory forecast",
		Long: `Check an experiment without running it. It is printed with every default filled in, as a
YAML file that can be run; comments tell the latency of a message on the idle network and how much
memory a run will need.`,
		Args:              oneFile,
		ValidArgsFunction: experimentFiles,
		RunE:              func(cmd *cobra.Command, args []string) error { return f.check(cmd, args[0]) },
	}
	f.experiment.register(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, "print what is known before the run as JSON")
	return cmd
}

func (f *checkFlags) check(cmd *cobra.Command, file string) error {
	e, err := f.experiment.load(cmd, file)
	if err != nil {
		return err
	}
	preview, err := e.Preview()
	if err != nil {
		return err
	}
	if f.json {
		return printJSON(cmd, preview)
	}
	return printCheck(cmd, preview)
}

func printJSON(cmd *cobra.Command, v any) error {
	w := json.NewEncoder(cmd.OutOrStdout())
	w.SetIndent("", "  ")
	return w.Encode(v)
}

func printCheck(cmd *cobra.Command, preview *fabricast.Preview) error {
	e := preview.Experiment
	text, err := e.YAML()
	if err != nil {
		return err
	}
	if _, err := cmd.OutOrStdout().Write(text); err != nil {
		return err
	}
	return report.Check(cmd.OutOrStdout(), preview)
}
