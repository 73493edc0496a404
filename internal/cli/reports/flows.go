package reports

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"fabricast/experiment"
	"fabricast/internal/atomicfile"
	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/console"
	"fabricast/internal/cli/ending"
	"fabricast/internal/completion"
	"fabricast/internal/whatif"
	"fabricast/record"
	"fabricast/report/data"
)

// NewFlows returns the command fabricast flows.
func NewFlows() *cobra.Command {
	var json bool
	var out string
	cmd := &cobra.Command{
		Use:   "flows FOLDER",
		Short: "Show how long the flows of a run took, and how much longer than on an idle network",
		Long: `Show the completion times of the flows of a run, by size: of all its messages between hosts, from
send to delivery, when all of the message has arrived. Some simulators, such as htsim, end a flow later,
when the sender has been told of that. The slowdown of a flow is its time divided by that of the same
message on an idle network: the sender's overhead and the way, without copies and without the messages
of a rendezvous. Percentiles are at most 0.4 % too low. The folder must be that of a run with --record
messages.`,
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
			t, err := ending.UntilInterrupted(cmd.Context(), func() (*completion.Times, error) {
				return flows(args[0], out)
			})
			switch {
			case errors.Is(err, completion.ErrNoMessages):
				return cmdline.Usage(cmd,
					fmt.Errorf("%s %w: run with --record messages", args[0], completion.ErrNoMessages))
			case errors.Is(err, completion.ErrNoPackets):
				return cmdline.Usage(cmd, err)
			case err != nil:
				return err
			}
			return console.Show(cmd, json, t, completion.Text)
		},
	}
	cmd.Flags().BoolVar(&json, "json", false, "print them as JSON")
	cmd.Flags().StringVar(&out, "out", "", "also write all flows as a Parquet table to this `file`")
	return cmd
}

// flows finds the completion times of the run in a folder. out is the file of the table; empty:
// none.
func flows(path, out string) (t *completion.Times, err error) {
	folder, err := record.Open(path)
	if err != nil {
		return nil, err
	}
	e, err := data.ExperimentOf(folder.Path(record.ExperimentFile))
	if err != nil {
		return nil, err
	}
	p, err := whatif.PlanOf(experiment.Experiment(*e))
	if err != nil {
		return nil, err
	}
	find := func(w io.Writer) error {
		if t, err = completion.Find(folder, p, w); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	}
	if out == "" {
		err = find(nil)
	} else {
		err = atomicfile.Write(out, find)
	}
	return t, err
}
