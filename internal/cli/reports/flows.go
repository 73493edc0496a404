package reports

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/atomicfile"
	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/console"
	"fabricast/internal/cli/ending"
	"fabricast/internal/completion"
	"fabricast/internal/whatif"
	"fabricast/record"
)

// NewFlows returns the command fabricast flows.
func NewFlows() *cobra.Command {
	var json bool
	var out string
	cmd := &cobra.Command{
		Use:   "flows FOLDER",
		Short: "Show how long the flows of a run took, and how much longer than on an idle network",
		Long: `Show the completion times of the flows of a run, by size: of all its messages between hosts, from
send to delivery. The slowdown of a flow is its time divided by that of the same message on an idle
network: the sender's overhead and the way, without copies and without the messages of a rendezvous.
The folder must be that of a run with --record messages.`,
		Example: `  fabricast run examples/quickstart.yaml --trace incast.cm --record messages --out results/a
  fabricast flows results/a
  fabricast flows results/a --json --out flows.parquet`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return cmdline.WrongArguments(cmd, args, "a result folder")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := ending.UntilInterrupted(cmd.Context(), func() (*completion.Times, error) { return flows(args[0], out) })
			switch {
			case errors.Is(err, completion.ErrNoMessages):
				return cmdline.Usage(cmd, fmt.Errorf("%s %w: run with --record messages", args[0], err))
			case err != nil:
				return fmt.Errorf("%s: %w", args[0], err)
			}
			return console.Show(cmd, json, t, completion.Text)
		},
	}
	cmd.Flags().BoolVar(&json, "json", false, "print them as JSON")
	cmd.Flags().StringVar(&out, "out", "", "also write all flows as a Parquet table to this `file`")
	return cmd
}

// flows finds the completion times of the run in a folder. out is the file of the table; empty: none.
func flows(path, out string) (t *completion.Times, err error) {
	folder, err := record.Open(path)
	if err != nil {
		return nil, err
	}
	e, err := fabricast.LoadMachine(filepath.Join(path, record.ExperimentFile))
	if err != nil {
		return nil, err
	}
	p, err := whatif.PlanOf(experiment.Experiment(*e))
	if err != nil {
		return nil, err
	}
	if out == "" {
		return completion.Find(folder, p, nil)
	}
	err = atomicfile.Write(out, func(w io.Writer) error {
		t, err = completion.Find(folder, p, w)
		return err
	})
	return t, err
}
