package setup

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"fabricast/internal/cli/cmdline"
	"fabricast/workload"
)

func NewPrograms() *cobra.Command {
	return &cobra.Command{
		Use:               "programs",
		Short:             "List the programs that an experiment can name, with their parameters",
		Args:              cmdline.NoArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return listPrograms(cmd) },
	}
}

func listPrograms(cmd *cobra.Command) error {
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	for i, p := range workload.Programs() {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s: %s\n", p.Name, p.Summary)
		for _, param := range p.Params {
			fmt.Fprintf(w, "  %s\t%s\t%s\n", param.Name, defaultOf(param), param.Summary)
		}
		switch {
		case p.Collective(workload.Params{}) != nil:
			fmt.Fprintf(
				w,
				"  pacing\tdefault not paced\tof its packets: mod, hops, a number of packet times, "+
					"or {gap, scale, barrier}\n",
			)
		case p.Round(workload.Params{}) != nil:
			fmt.Fprintf(
				w,
				"  pacing\tdefault not paced\tof its packets: mod, hops, a number of packet times, "+
					"or {gap, scale}\n",
			)
		case p.Paceable():
			fmt.Fprintf(w, "  pacing\tdefault not paced\tof its packets: a number of packet times\n")
		}
	}
	return w.Flush()
}

func defaultOf(p workload.Param) string {
	if p.Default == "" {
		return "(must be given)"
	}
	return "default " + p.Default
}
