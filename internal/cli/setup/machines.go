package setup

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/console"
	"fabricast/internal/config"
	"fabricast/machines"
)

// machineList is the JSON output of fabricast machines.
type machineList struct {
	Schema   string                  `json:"schema"`
	Machines []*machines.Description `json:"machines"`
}

func NewMachines() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "machines [NAME]",
		Short: "List the real machines that an experiment can name, or describe one",
		Long: `List the real machines whose network and nodes an experiment can take, as in
network: {machine: fugaku, shape: [8, 8, 8]}. With a name, print its settings, where each number
comes from, and what is known of its accuracy.`,
		Args:      oneMachine,
		ValidArgs: machines.Names(),
		RunE: func(cmd *cobra.Command, args []string) error {
			list := machineList{"fabricast.machines/1", machines.All()}
			print := printMachines
			if len(args) == 1 {
				list.Machines = []*machines.Description{machines.Find(args[0])}
				print = describeMachine
			}
			return console.Show(cmd, asJSON, &list, print)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the machines, their settings and sources as JSON")
	return cmd
}

// oneMachine returns an error unless the arguments are at most one name of a machine.
func oneMachine(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return cmdline.WrongArguments(cmd, args, "the name of one machine, or none")
	}
	if len(args) == 1 && machines.Find(args[0]) == nil {
		err := fmt.Errorf("machine: found %s, expected %s", args[0], config.OneOf(machines.Names()))
		return cmdline.Usage(cmd, cmdline.Suggested(err, args[0], machines.Names()))
	}
	return nil
}

func printMachines(out io.Writer, list *machineList) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, m := range list.Machines {
		fmt.Fprintf(w, "%s\t%s\n", m.Name, m.Summary)
	}
	return w.Flush()
}

// describeMachine prints all information about a machine.
func describeMachine(w io.Writer, list *machineList) error {
	m := list.Machines[0]
	fmt.Fprintf(w, "%s: %s\nshape: %s; default %v\n\n%s\nsources\n", m.Name, m.Summary, m.Shape.Means,
		m.Shape.Default, m.YAML(nil))
	for _, s := range m.Sources {
		fmt.Fprintf(w, "  %s (%s)\n    %s\n", strings.Join(s.Fields, ", "), s.Kind, s.From)
	}
	_, err := fmt.Fprintf(w, "accuracy\n  %s\n", strings.Join(m.Accuracy, "\n  "))
	return err
}
