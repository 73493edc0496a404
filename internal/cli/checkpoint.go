package cli

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fabricast"
	"fabricast/internal/checkpoint"
	"fabricast/internal/humanize"
	"fabricast/internal/units"
	"fabricast/record"
)

// checkpointHelp describes the flag of commands that run.
const checkpointHelp = "with --out, leave a checkpoint there every so often, by the clock on the wall " +
	"(10m, 30s, 1h) or in simulated time (1.2ms, 50us), and when the run is interrupted"

// scheduleOf reads the value of --checkpoint. A time with the unit s, m or h is one of the wall clock,
// a shorter unit is one of simulated time.
func scheduleOf(cmd *cobra.Command, text string) (*fabricast.Checkpoints, error) {
	if text == "" {
		return nil, nil
	}
	wrong := usage(cmd, fmt.Errorf(
		"found --checkpoint %s, expected a time such as 10m or 30s of the wall clock, or 1.2ms of "+
			"simulated time", text,
	))
	for _, unit := range []string{"ms", "us", "ns", "ps"} {
		if !strings.HasSuffix(text, unit) {
			continue
		}
		var t units.Time
		if err := t.Set(text); err != nil || t <= 0 {
			return nil, wrong
		}
		return &fabricast.Checkpoints{EveryTime: t}, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return nil, wrong
	}
	return &fabricast.Checkpoints{Every: d}, nil
}

// withCheckpoints returns the option for runs with checkpoints, and the end of what it needs, which
// says what they have cost. Signals by which batch systems warn of the end of a job then interrupt
// the run.
func withCheckpoints(cmd *cobra.Command, c *fabricast.Checkpoints) (fabricast.Option, func()) {
	var left, largest int64
	var took time.Duration
	c.Told = func(r fabricast.CheckpointReport) {
		if r.Err != nil {
			tellNote(cmd, fmt.Sprintf(
				"no checkpoint at %s of simulated time: %v", humanize.Time(r.Time), r.Err,
			))
			return
		}
		left, largest, took = left+1, max(largest, r.Size), took+r.Took
	}
	ctx, end := signal.NotifyContext(cmd.Context(), warnings()...)
	cmd.SetContext(ctx)
	return fabricast.Checkpoint(*c), func() {
		end()
		if left > 0 {
			tellNote(cmd, fmt.Sprintf(
				"checkpoints: %d of up to %s, written in %.2f s", left, humanize.Size(largest),
				took.Seconds(),
			))
		}
	}
}

// dropCheckpoint removes the checkpoint of an earlier run, which --force overwrites.
func (f *runFlags) dropCheckpoint() error {
	path := filepath.Join(f.out, checkpoint.Name)
	if f.out == "" || !f.force || !present(path) {
		return nil
	}
	if err := record.InUse(f.out); err != nil {
		return fabricast.NewConfigError(err)
	}
	return os.Remove(path)
}

// resumeFlags holds the flags of fabricast resume.
type resumeFlags struct {
	workers    int
	checkpoint string
	json       bool
}

func newResume() *cobra.Command {
	var f resumeFlags
	cmd := &cobra.Command{
		Use:   "resume FOLDER",
		Short: "Go on with a run from its checkpoint, and print the result",
		Long: `Go on with a run from the checkpoint that fabricast run --checkpoint has left in a folder. The
result, and all that is recorded of it, is that of a run that nothing has interrupted, also with
another number of workers. The run goes on to leave checkpoints as often as before.`,
		Example: `  fabricast run examples/quickstart.yaml --checkpoint 10m --out results/long
  fabricast resume results/long --workers 8`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return wrongArguments(cmd, args, "the folder of one run that has left a checkpoint")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.resume(cmd, args[0]) },
	}
	cmd.Flags().IntVar(&f.workers, "workers", 0, "how many cores simulate at once; does not change the "+
		"result (default all)")
	cmd.Flags().StringVar(&f.checkpoint, "checkpoint", "", "leave a checkpoint every so often, other "+
		"than before: 10m of the wall clock, 1.2ms of simulated time")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the result as JSON")
	return cmd
}

func (f *resumeFlags) resume(cmd *cobra.Command, folder string) error {
	if f.workers < 0 || f.workers == 0 && cmd.Flags().Changed("workers") {
		return usage(cmd, fmt.Errorf("found --workers %d, expected a number of at least 1", f.workers))
	}
	schedule, err := scheduleOf(cmd, f.checkpoint)
	if err != nil {
		return err
	}
	saved, err := fabricast.OpenCheckpoint(folder)
	if err != nil {
		return err
	}
	defer saved.Close()
	if schedule == nil {
		schedule = &saved.Schedule
	}
	r := runFlags{workers: f.workers, out: folder, json: f.json}
	tellNote(cmd, fmt.Sprintf("goes on at %s of simulated time", humanize.Time(saved.Time)))
	result, err := r.carryOut(cmd, schedule, saved.Run)
	if result == nil {
		return err
	}
	r.tellNotes(cmd, result)
	return errors.Join(r.print(cmd, result, err == nil), err)
}
