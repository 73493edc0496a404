package runs

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
	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/console"
	"fabricast/internal/cli/ending"
	"fabricast/internal/humanize"
	"fabricast/internal/units"
	"fabricast/record"
)

// checkpointHelp describes the flag --checkpoint of fabricast run.
const checkpointHelp = "with --out, leave a checkpoint there every so often, by the clock on the wall " +
	"(10m, 30s) or in simulated time (sim:1.2ms, sim:50us), and when the run is interrupted"

// keepHelp describes the flag --keep.
const keepHelp = "with --checkpoint, keep up to so many earlier checkpoints too, evenly spread over the " +
	"run, for fabricast rewind; each takes as much of the disk as the last one"

// blocksHelp describes the flag --blocks, the number of partition blocks of a run with checkpoints.
const blocksHelp = "with --checkpoint, divide the network into at least so many blocks, so that up to so " +
	"many workers, of all processes together, can go on with the run (default one for each worker)"

// leastKept is the minimum value of --keep.
const leastKept = 2

// ofSimulated is the prefix of a simulated time in the value of --checkpoint.
const ofSimulated = "sim:"

// shortestWall is the minimum wall-clock interval between checkpoints.
const shortestWall = time.Millisecond

// scheduleOf parses the value of --checkpoint: a wall-clock interval, or an interval of simulated
// time with the prefix ofSimulated.
func scheduleOf(cmd *cobra.Command, text string) (*fabricast.Checkpoints, error) {
	if text == "" {
		return nil, nil
	}
	wrong := cmdline.Usage(cmd, fmt.Errorf(
		"found --checkpoint %s, expected a time of the wall clock from 1ms on, such as 10m or 30s, or one "+
			"of simulated time, such as sim:1.2ms", text,
	))
	if simulated, ok := strings.CutPrefix(text, ofSimulated); ok {
		var t units.Time
		if err := t.Set(simulated); err != nil || t <= 0 {
			return nil, wrong
		}
		return &fabricast.Checkpoints{EveryTime: t}, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < shortestWall {
		return nil, wrong
	}
	return &fabricast.Checkpoints{Every: d}, nil
}

// withCheckpoints returns the option for runs with checkpoints, and a function to call at the end,
// which prints the cost of the checkpoints. It also makes the signals by which batch systems
// announce the end of a job interrupt the run.
func withCheckpoints(cmd *cobra.Command, c *fabricast.Checkpoints) (fabricast.Option, func()) {
	var left, largest int64
	var took time.Duration
	c.Told = func(r fabricast.CheckpointReport) {
		if r.Err != nil {
			console.TellNote(cmd, fmt.Sprintf(
				"no checkpoint at %s of simulated time: %v", humanize.Time(r.Time), r.Err,
			))
			return
		}
		left, largest, took = left+1, max(largest, r.Size), took+r.Took
	}
	ctx, end := signal.NotifyContext(cmd.Context(), ending.Warnings()...)
	cmd.SetContext(ctx)
	return fabricast.Checkpoint(*c), func() {
		end()
		if left > 0 {
			console.TellNote(cmd, fmt.Sprintf(
				"checkpoints: %d of up to %s, written in %.2f s", left, humanize.Size(largest),
				took.Seconds(),
			))
		}
	}
}

// dropCheckpoint removes the checkpoint of an earlier run that --force overwrites, and the files
// that belong to the checkpoint.
func (f *runFlags) dropCheckpoint() error {
	path := filepath.Join(f.out, checkpoint.Name)
	if f.out == "" || !f.force || !f.fellows.First() || !present(path) {
		return nil
	}
	if err := record.InUse(f.out); err != nil {
		return fabricast.NewConfigError(err)
	}
	return errors.Join(
		os.Remove(path),
		os.RemoveAll(filepath.Join(f.out, checkpoint.JournalName)),
		os.RemoveAll(filepath.Join(f.out, checkpoint.RecordedName)),
		os.RemoveAll(filepath.Join(f.out, checkpoint.TablesFolder)),
	)
}
