package ways

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"fabricast"
	"fabricast/collective"
	"fabricast/experiment"
	"fabricast/internal/units"
	"fabricast/mpi"
)

// withoutHost is what of a result is a function of the experiment.
func withoutHost(t *testing.T, r *fabricast.Result) string {
	t.Helper()
	c := *r
	c.Workers, c.Balance, c.Windows, c.Host = 0, 0, 0, fabricast.Host{}
	c.Streams = nil
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Runs that are interrupted again and again go on from their checkpoints to the results of runs that
// nothing interrupts, also when the files that their experiments name are gone.
func TestCheckpoints(t *testing.T) {
	dir := t.TempDir()
	mapping := filepath.Join(dir, "mapping.txt")
	list := ""
	for rank := range 64 {
		list += fmt.Sprintln(rank, (rank*37+5)%64)
	}
	if err := os.WriteFile(mapping, []byte(list), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"mapping":   "network: {topology: {dims: [4, 4, 4]}}\nmapping: {file: " + mapping + "}\nworkload: {program: alltoall, algorithm: bruck, size: 4KiB}",
		"imbalance": "network: {topology: {dims: [4, 4, 4]}}\nimbalance: {width: 20%}\nworkload: {program: alltoall, algorithm: ring, size: 2KiB}",
		"traffic":   "network: {topology: {dims: [4, 4, 4]}}\ntraffic: {load: 50%, size: 1KiB, measure: {precision: 0.5%, longest: 20us}}",
	} {
		if testing.Short() && name != "mapping" {
			continue
		}
		stops := 0
		e, err := fabricast.Parse(name+".yaml", text)
		if err != nil {
			t.Fatal(err)
		}
		want, err := e.Run(context.Background(), fabricast.Record(filepath.Join(dir, name+"-whole")))
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Join(dir, name)
		// every checkpoint but the first of a run ends it
		soon := func() (context.Context, fabricast.Option) {
			ctx, cancel := context.WithCancel(context.Background())
			t.Cleanup(cancel)
			left := 0
			return ctx, fabricast.Checkpoint(fabricast.Checkpoints{EveryTime: units.Nanosecond, Told: func(r fabricast.CheckpointReport) {
				if left++; left == 2 || r.Err != nil {
					cancel()
				}
			}})
		}
		ctx, option := soon()
		got, err := e.Run(ctx, fabricast.Record(folder), fabricast.Workers(2), option)
		for ; err != nil; stops++ {
			var interrupted *fabricast.InterruptedError
			if !errors.As(err, &interrupted) || interrupted.Checkpoint == "" {
				t.Fatalf("%s: %v", name, err)
			}
			if name == "mapping" {
				_ = os.Remove(mapping)
			}
			saved, openErr := fabricast.OpenCheckpoint(folder)
			if openErr != nil {
				t.Fatal(openErr)
			}
			options := []fabricast.Option{fabricast.Workers(1 + stops%3)}
			ctx := context.Background()
			if stops < 5 {
				ctx, option = soon()
				options = append(options, option)
			}
			got, err = saved.Run(ctx, options...)
			saved.Close()
		}
		if a, b := withoutHost(t, got), withoutHost(t, want); a != b {
			t.Errorf("%s: resumed: %s\nat once: %s", name, a, b)
		}
		t.Logf("%s: %d stops", name, stops)
	}
}

// Who interrupts a run while its programs run again does not wait for them, and finds the checkpoint as
// it was.
func TestInterruptedAgain(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "out")
	ctx, cancel := context.WithCancel(context.Background())
	barriers := func(before func(r *mpi.Rank, i int)) func(*mpi.Rank) {
		return func(r *mpi.Rank) {
			for i := range 300 {
				before(r, i)
				r.Barrier(collective.Default)
			}
		}
	}
	e, err := fabricast.Parse("e.yaml", "network: {topology: {dims: [4, 4]}}\nworkload: {program: barrier}")
	if err != nil {
		t.Fatal(err)
	}
	e.Workload = experiment.Workload{}
	e.Program = barriers(func(r *mpi.Rank, i int) {
		if r.Rank() == 0 && i == 200 {
			cancel()
		}
	})
	_, err = e.Run(ctx, fabricast.Record(folder), fabricast.Checkpoint(fabricast.Checkpoints{Every: time.Hour}))
	var interrupted *fabricast.InterruptedError
	if !errors.As(err, &interrupted) || interrupted.Checkpoint == "" {
		t.Fatal(err)
	}
	again, cancelAgain := context.WithCancel(context.Background())
	computes := make(chan struct{})
	resume := func(ctx context.Context, before func(*mpi.Rank, int)) (*fabricast.Result, error) {
		saved, err := fabricast.OpenCheckpoint(folder)
		if err != nil {
			t.Fatal(err)
		}
		defer saved.Close()
		saved.Experiment.Program = barriers(before)
		return saved.Run(ctx)
	}
	_, err = resume(again, func(r *mpi.Rank, i int) {
		if r.Rank() == 0 && i == 3 {
			cancelAgain()
			<-computes // for as long as one likes
		}
	})
	interrupted = nil
	if !errors.As(err, &interrupted) || interrupted.Checkpoint == "" {
		t.Fatal(err)
	}
	close(computes)
	if r, err := resume(context.Background(), func(*mpi.Rank, int) {}); err != nil || r.Ranks != 16 {
		t.Error(r, err)
	}
}

// A checkpoint of one run is not taken for that of another one.
func TestNoCheckpoint(t *testing.T) {
	_, err := fabricast.OpenCheckpoint(t.TempDir())
	var config *fabricast.ConfigError
	if !errors.As(err, &config) {
		t.Error(err)
	}
}
