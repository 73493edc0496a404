package sweep_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fabricast"
	"fabricast/sweep"
)

// sharedText is a sweep of short points that run in separate processes, so that tests can count
// them. Points with a size of 7 bytes fail.
const sharedText = `
title: shared
isolated: true
experiment:
  network: {topology: {dims: [2, 2]}}
  workload: {program: alltoall, size: 64B}
axes:
  - {field: workload.algorithm, values: [ring, bruck, simple-spread]}
  - {field: workload.size, values: [7B, 8B, 64B, 128B]}
columns: [simulated_time_ps, messages, payload_bytes]
`

// counter runs points and counts how often each one was completed.
type counter struct {
	mutex sync.Mutex
	runs  map[string]int
	pause time.Duration
}

func (c *counter) run(ctx context.Context, e *fabricast.Experiment) (*fabricast.Result, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(c.pause):
	}
	key, err := e.Fingerprint()
	if err != nil {
		return nil, err
	}
	result, err := e.Run(ctx, fabricast.Workers(1))
	if ctx.Err() != nil && err != nil {
		return nil, err
	}
	c.mutex.Lock()
	c.runs[key]++
	c.mutex.Unlock()
	if e.Workload.Size == 7 {
		return nil, errors.New("points of 7 bytes fail")
	}
	return result, err
}

// sharedTable runs the sweep in a folder and returns the table as text, including errors.
func sharedTable(ctx context.Context, path string, o sweep.Options) (string, error) {
	f, err := sweep.Open(path)
	if err != nil {
		return "", err
	}
	t, err := f.Run(ctx, o)
	var points *sweep.PointsError
	if err != nil && !errors.As(err, &points) || t == nil {
		return "", err
	}
	var text bytes.Buffer
	if err := t.CSV(&text); err != nil {
		return "", err
	}
	return text.String() + strings.Join(t.Failed(), "\n") + points.Error(), nil
}

// TestSharedPoints checks that processes that share a folder run each point once, including failing
// points, and get the same table as a single process. Some processes are interrupted or end as
// tasks; the others run their remaining points.
func TestSharedPoints(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shared.yaml")
	if err := os.WriteFile(path, []byte(sharedText), 0o666); err != nil {
		t.Fatal(err)
	}
	alone := &counter{runs: map[string]int{}}
	want, err := sharedTable(t.Context(), path, sweep.Options{Isolate: alone.run})
	if err != nil || strings.Count(want, "7 bytes fail") != 7 {
		t.Fatal(want, err)
	}
	rapid.Check(t, func(t *rapid.T) {
		folder, err := os.MkdirTemp("", "share-")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(folder)
		c := &counter{runs: map[string]int{}, pause: time.Millisecond}
		processes := rapid.IntRange(1, 4).Draw(t, "processes")
		// No process completes a point before all others have started or ended. Otherwise a process
		// that starts after the others have ended would run the failed points again.
		var all, begun sync.WaitGroup
		begun.Add(processes)
		for i := range processes {
			begin := sync.OnceFunc(begun.Done)
			together := func(ctx context.Context, e *fabricast.Experiment) (*fabricast.Result, error) {
				begin()
				begun.Wait()
				return c.run(ctx, e)
			}
			o := sweep.Options{
				Folder: folder, Isolate: together, Workers: rapid.IntRange(1, 3).Draw(t, "workers"),
				ExitCode: func(error) int { return 7 },
			}
			fate := rapid.SampledFrom([]string{"stays", "interrupted", "task"}).Draw(t, "fate")
			if i == 0 {
				fate = "stays"
			}
			after := time.Duration(rapid.IntRange(0, 20).Draw(t, "after")) * time.Millisecond
			all.Go(func() {
				defer begin()
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				switch fate {
				case "interrupted":
					time.AfterFunc(after, cancel)
				case "task":
					o.Part = sweep.Task
				}
				got, err := sharedTable(ctx, path, o)
				var interrupted *sweep.InterruptedError
				switch {
				case err != nil && !errors.As(err, &interrupted):
					t.Errorf("%s: %v", fate, err)
				case got != want && (fate == "stays" || got != ""):
					t.Errorf("%s: found %s, expected %s", fate, got, want)
				}
			})
		}
		all.Wait()
		if len(c.runs) != len(alone.runs) {
			t.Errorf("%d points were run, expected %d", len(c.runs), len(alone.runs))
		}
		for key, n := range c.runs {
			if n != 1 {
				t.Errorf("point %s was run %d times", key, n)
			}
		}
		if left, _ := filepath.Glob(filepath.Join(folder, "points", "*.claim.*")); len(left) > 0 {
			t.Errorf("left %v", left)
		}
	})
}

// TestFailedPointsAgain checks that a later run retries failed points, unless it has Join set.
func TestFailedPointsAgain(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "shared.yaml")
	if err := os.WriteFile(path, []byte(sharedText), 0o666); err != nil {
		t.Fatal(err)
	}
	f := func(join bool, want int) {
		t.Helper()
		c := &counter{runs: map[string]int{}}
		if _, err := sharedTable(t.Context(), path, sweep.Options{Folder: folder, Isolate: c.run, Join: join}); err != nil {
			t.Fatal(err)
		}
		if len(c.runs) != want {
			t.Errorf("join %t: %d points were run, expected %d", join, len(c.runs), want)
		}
	}
	f(false, 12)
	f(false, 3)
	f(true, 0)
}

// TestCollect checks that a process that runs no points gets the table of the processes that do,
// and an error if they end too early.
func TestCollect(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "shared.yaml")
	if err := os.WriteFile(path, []byte(sharedText), 0o666); err != nil {
		t.Fatal(err)
	}
	c := &counter{runs: map[string]int{}}
	collector := sweep.Options{Folder: folder, Part: sweep.Collect, Join: true}
	collector.Active = func(left int) (bool, error) {
		if left != 12 {
			t.Errorf("%d points are left, expected 12", left)
		}
		return false, nil
	}
	var unfinished *sweep.UnfinishedError
	if _, err := sharedTable(t.Context(), path, collector); !errors.As(err, &unfinished) ||
		err.Error() != "12 of 12 points are not done" {
		t.Errorf("nobody runs points: %v", err)
	}
	want, err := sharedTable(t.Context(), path, sweep.Options{Isolate: c.run})
	if err != nil {
		t.Fatal(err)
	}
	begun := false
	collector.Active = func(int) (bool, error) {
		if !begun {
			begun = true
			go func() {
				_, err := sharedTable(
					t.Context(),
					path,
					sweep.Options{Folder: folder, Isolate: c.run, Part: sweep.Task, Join: true},
				)
				if err != nil {
					t.Error(err)
				}
			}()
		}
		return true, nil
	}
	got, err := sharedTable(t.Context(), path, collector)
	if err != nil || got != want {
		t.Errorf("collected %s, %v, expected %s", got, err, want)
	}
}

// TestUnfinishedTable interrupts a sweep after a random number of points. Both the table passed to
// Begun and the returned table must list all points by their values, with the results of those that
// are done and the number of those that are not.
func TestUnfinishedTable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shared.yaml")
	if err := os.WriteFile(path, []byte(sharedText), 0o666); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(28, 34))
	for range 5 {
		folder := t.TempDir()
		done := 0 // number of points in the folder
		for range 2 {
			more := random.IntN(13 - done)
			ctx, cancel := context.WithCancel(t.Context())
			c := &counter{runs: map[string]int{}}
			o := sweep.Options{Folder: folder, Workers: 1, Join: true}
			o.Isolate = func(_ context.Context, e *fabricast.Experiment) (*fabricast.Result, error) {
				if len(c.runs) == more {
					cancel()
					return nil, ctx.Err()
				}
				return c.run(ctx, e)
			}
			o.Begun = func(table *sweep.Table) error {
				unfinishedRows(t, table, 12-done)
				return nil
			}
			f, err := sweep.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			table, err := f.Run(ctx, o)
			cancel()
			var interrupted *sweep.InterruptedError
			if done += more; done < 12 && (!errors.As(err, &interrupted) || interrupted.Done != done) {
				t.Fatalf("after %d points: %v", done, err)
			}
			unfinishedRows(t, table, 12-done)
		}
	}
}

// unfinishedRows checks that a table has the values of all 12 points, and that want of them are not
// done.
func unfinishedRows(t *testing.T, table *sweep.Table, want int) {
	t.Helper()
	r, err := table.Report()
	if err != nil {
		t.Fatal(err)
	}
	open := 0
	points := map[string]bool{}
	for _, row := range r.Rows {
		if row.Hash == "" && row.Error == "" {
			open++
		}
		if row.Cells[0] == nil || row.Cells[1] == nil || row.Point == "" || (row.Hash == "") != (row.Cells[2] == nil) {
			t.Fatalf("row %v of point %q, hash %q", row.Cells, row.Point, row.Hash)
		}
		points[row.Point] = true
	}
	if open != want || r.Unfinished != want || len(points) != 12 {
		t.Fatalf("%d points, %d without an outcome, %d called unfinished, expected %d", len(points), open, r.Unfinished, want)
	}
}
