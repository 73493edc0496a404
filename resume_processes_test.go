package fabricast

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"fabricast/internal/processes"
	"fabricast/internal/run"
	"fabricast/record"
)

// TestResumedOnOtherShapes: runs that are interrupted again and again, on other numbers of processes
// and workers each time, leave the results and the folders of runs that nothing has interrupted. Of
// every network some routings are drawn, with switches, programs, traffic, and jobs. Goroutines take
// the place of processes.
func TestResumedOnOtherShapes(t *testing.T) {
	stops, runs := resumedOfNetworks(t, anyProcesses, func(_ *testing.T, d *rand.Rand, network, routing string) string {
		if d.IntN(8) > 0 || testing.Short() && d.IntN(4) > 0 {
			return ""
		}
		return drawSaved(d, network, routing)
	})
	t.Logf("%d stops of %d runs", stops, runs)
}

// resumedOfNetworks compares, for all networks and routings, runs at once with runs in stages, as
// resumedAgree does. draw draws an experiment, or "" for none. It returns how often runs have stopped,
// and how many there were.
func resumedOfNetworks(
	t *testing.T, processes []int, draw func(t *testing.T, d *rand.Rand, network, routing string) string,
) (stops, runs int) {
	var mutex sync.Mutex
	t.Run("networks", func(t *testing.T) {
		eachSmallNetwork(t, func(t *testing.T, network string) {
			t.Parallel()
			d := drawsFor(t)
			eachRouting(t, d, network, func(routing string) {
				text := draw(t, d, network, routing)
				if text == "" {
					return
				}
				n := resumedAgree(t, d, text, processes)
				mutex.Lock()
				defer mutex.Unlock()
				stops, runs = stops+n, runs+1
			})
		})
	})
	return stops, runs
}

// TestResumedKnowsAllQueues holds the same for routing that knows the queues of all routers, as they are
// published at short intervals.
func TestResumedKnowsAllQueues(t *testing.T) {
	eachSmallNetwork(t, func(t *testing.T, network string) {
		t.Parallel()
		d := drawsFor(t)
		if d.IntN(2) == 0 && !strings.Contains(network, KindFile) {
			resumedAgree(t, d, drawSaved(d, network, fmt.Sprintf("{algorithm: ugal-g, interval: %dns}", 20+d.IntN(200))), anyProcesses)
		}
	})
}

// TestResumedOptimistic holds the same for runs in the optimistic modes, with tables. Their parts are
// divided among processes evenly.
func TestResumedOptimistic(t *testing.T) {
	stops, runs := resumedOfNetworks(t, []int{1, 2, 4}, func(t *testing.T, d *rand.Rand, network, routing string) string {
		if d.IntN(2) > 0 || testing.Short() && d.IntN(8) > 0 || strings.Contains(routing, "ugal-g") {
			return ""
		}
		router, load := drawRouter(d, switches[d.IntN(len(switches))]), drawLoad(d)
		if d.IntN(3) == 0 {
			load = drawJobs(d, hostsOf(t, network), true)
		}
		return fmt.Sprintf(
			"network: {topology: %s, routing: %s, router: %s}\n%s\n%s", network, routing, router, load, drawEngine(d),
		)
	})
	if t.Logf("%d stops of %d runs", stops, runs); stops == 0 {
		t.Error("nothing has been resumed")
	}
}

// drawSaved draws an experiment that can leave checkpoints.
func drawSaved(d *rand.Rand, network, routing string) string {
	router := drawRouter(d, switches[d.IntN(len(switches))])
	parts := one(d, "linear", "topology", "graph")
	load := withoutRecord(drawLoad(d))
	if d.IntN(4) == 0 {
		load = fmt.Sprintf("seed: %d\njobs:\n", d.IntN(1000)) +
			" - {name: a, ranks: 4, workload: {program: alltoall, algorithm: ring, size: 3KiB}}\n" + one(d,
			" - {name: b, ranks: 3, traffic: {load: 20%, size: 300B}}\n",
			" - {name: b, ranks: 3, workload: {program: allreduce, size: 8KiB}, start: 2us}\n",
		)
	}
	if d.IntN(4) == 0 && strings.Contains(load, "alltoall") {
		load += "collectives: {alltoall: {pacing: mod}}\n"
	}
	return fmt.Sprintf(
		"network: {topology: %s, routing: %s, router: %s}\npartition: %s\nengine: {sync: %s}\n%s",
		network, routing, router, parts, one(d, SyncAll, SyncNeighbours), load,
	)
}

// stagedBlocks is into how many blocks runs in stages are divided.
const stagedBlocks = 4

// anyProcesses are all numbers of processes that so many blocks can be divided among.
var anyProcesses = []int{1, 2, 3, 4}

// resumedAgree compares a run at once with one in stages, each in one of some numbers of processes. It
// returns how often the latter stopped.
func resumedAgree(t *testing.T, d *rand.Rand, text string, processes []int) (stops int) {
	t.Helper()
	whole, stages := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "stages")
	begin := time.Now()
	e, err := Parse("whole.yaml", text)
	if err != nil {
		return 0 // not every network fits
	}
	want, err := e.Run(context.Background(), Workers(1), Record(whole))
	if err != nil {
		return 0
	}
	took := time.Since(begin)
	for resumed := false; ; {
		n := processes[d.IntN(len(processes))]
		got, err := stage(t, d, text, stages, n, took, resumed, stops > 6)
		if err != nil && (unshared(err) || strings.Contains(err.Error(), "found "+fmt.Sprint(n)+" processes")) {
			n = 1
			got, err = stage(t, d, text, stages, n, took, resumed, stops > 6)
		}
		var interrupted *InterruptedError
		switch {
		case err != nil && strings.Contains(err.Error(), "being set up"):
			continue
		case err != nil && strings.Contains(err.Error(), "(--blocks), expected at most"):
			return stops // it has fewer routers
		case errors.As(err, &interrupted):
			if interrupted.Checkpoint != "" {
				resumed = true
				stops++
			}
			continue
		case err != nil:
			t.Errorf("after %d stops, %d processes: %v\n%s", stops, n, err, text)
			return stops
		}
		if a, b := sameInAll(t, got), sameInAll(t, want); a != b {
			t.Errorf("after %d stops:\n%s\n%s", stops, text, firstDifference(b, a))
		}
		sameFiles(t, whole, stages, text)
		return stops
	}
}

// sameInAll is what of a result is a function of the experiment.
func sameInAll(t *testing.T, r *Result) string {
	c := *r
	c.Processes, c.Workers, c.Balance, c.Windows, c.Host = 0, 0, 0, 0, Host{}
	c.Optimistic = nil
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// sameFiles compares the tables of two folders.
func sameFiles(t *testing.T, whole, stages, text string) {
	files, err := filepath.Glob(filepath.Join(whole, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		base := filepath.Base(name)
		if base == record.ResultFile || base == record.ProgressFile {
			continue
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(stages, base)); err != nil || string(got) != string(want) {
			t.Errorf("%s is another: %v\n%s", base, err, text)
		}
	}
}

// counting is a group that interrupts the run when it has agreed, or ended a window, so often.
type counting struct {
	processes.Group
	left      int
	interrupt func()
}

func (c *counting) Least(values []int64) {
	c.count()
	c.Group.Least(values)
}

func (c *counting) Swap(to [][]byte) [][]byte {
	c.count()
	return c.Group.Swap(to)
}

func (c *counting) Trade(with []int, to [][]byte) [][]byte {
	c.count()
	return c.Group.Trade(with, to)
}

func (c *counting) Exchange(to [][]byte) [][]byte {
	c.count()
	return c.Group.Exchange(to)
}

func (c *counting) count() {
	if c.left--; c.left == 0 {
		c.interrupt()
		time.Sleep(time.Millisecond) // until it is noticed
	}
}

// stage runs an experiment on n processes until it is interrupted in one of them, or goes on with it.
// The last stage is not interrupted.
func stage(
	t *testing.T, d *rand.Rand, text, folder string, n int, took time.Duration, resumed, last bool,
) (*Result, error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	groups := processes.Local(n)
	workers := 1 + d.IntN(2)
	hit := d.IntN(n)
	after := time.Duration(d.Float64() * float64(took))
	counted := &counting{groups[hit], 1 << d.IntN(12), cancel}
	switch {
	case last:
		counted.left = 0
	case n == 1:
		defer time.AfterFunc(after, cancel).Stop()
	}
	groups[hit] = counted
	results, errs := make([]*Result, n), make([]error, n)
	var wg sync.WaitGroup
	for p, group := range groups {
		wg.Go(func() {
			own := context.Background()
			if p == hit {
				own = ctx
			}
			options := []Option{
				run.Across(group), Workers(workers), Checkpoint(Checkpoints{Blocks: stagedBlocks}),
			}
			if !resumed {
				e, err := Parse("stages.yaml", text)
				if err == nil {
					results[p], err = e.Run(own, append(options, Record(folder))...)
				}
				errs[p] = err
				return
			}
			saved, err := OpenCheckpoint(folder)
			if err == nil {
				defer saved.Close()
				results[p], err = saved.Run(own, options...)
			}
			errs[p] = err
		})
	}
	wg.Wait()
	for p, err := range errs {
		if (err == nil) != (errs[0] == nil) {
			t.Fatalf("process %d ends with %v, the first with %v\n%s", p, err, errs[0], text)
		}
	}
	return results[0], errs[0]
}
