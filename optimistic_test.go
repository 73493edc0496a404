package fabricast

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fabricast/record"
)

// optimisticRounds is how many times TestOptimisticChangesNothing draws an experiment of every kind:
//
//	go test . -run OptimisticChangesNothing -optimistic.rounds 8 -timeout 2h
var optimisticRounds = flag.Int(
	"optimistic.rounds",
	1,
	"how often experiments are drawn for the optimistic modes",
)

// TestOptimisticChangesNothing holds that results and result folders are those of the conservative
// mode. Of every network, routing and switch that can be named an experiment is drawn and run in an
// optimistic mode, in one or two processes of one to three workers.
func TestOptimisticChangesNothing(t *testing.T) {
	var c optimisticCounts
	t.Run("networks", func(t *testing.T) {
		for round := range *optimisticRounds {
			t.Run(fmt.Sprint(round), func(t *testing.T) { optimisticRound(t, &c) })
			t.Logf("rounds %d: %v", round+1, &c) // also of a test that is ended
		}
	})
	if c.ran.Load() < 10 || c.jobs.Load() < 2 || c.recorded.Load() < 2 || c.undone.Load() < 1000 {
		t.Errorf("%v: these show nothing", &c)
	}
}

// optimisticCounts counts experiments that were not refused, those of them with several jobs and those
// that record tables, and the windows that were rolled back.
type optimisticCounts struct{ ran, jobs, recorded, undone atomic.Int64 }

func (c *optimisticCounts) String() string {
	return fmt.Sprintf(
		"%d experiments, %d with jobs, %d with tables, %d windows rolled back",
		c.ran.Load(), c.jobs.Load(), c.recorded.Load(), c.undone.Load(),
	)
}

// optimisticRound draws one experiment of every kind.
func optimisticRound(t *testing.T, c *optimisticCounts) {
	eachSmallNetwork(t, func(t *testing.T, network string) {
		t.Parallel()
		d := drawsFor(t)
		eachRouting(t, d, network, func(routing string) {
			if testing.Short() && d.IntN(8) > 0 {
				return
			}
			router := drawRouter(d, switches[d.IntN(len(switches))])
			load := drawLoad(d)
			if d.IntN(3) == 0 {
				load = drawJobs(d, hostsOf(t, network), true)
				if d.IntN(3) == 0 {
					load += "\nrecord: {bins: {interval: auto}, buffers: {routers: [0]}, messages: true}"
				}
			}
			text := fmt.Sprintf(
				"network: {topology: %s, routing: %s, router: %s}\n%s\n",
				network,
				routing,
				router,
				load,
			)
			back, refused := optimisticAgrees(t, text, drawEngine(d), 1+d.IntN(2), 1+d.IntN(3))
			c.undone.Add(int64(back))
			if refused {
				return
			}
			c.ran.Add(1)
			if strings.Contains(load, "jobs:") {
				c.jobs.Add(1)
			}
			if strings.Contains(load, "record:") {
				c.recorded.Add(1)
			}
		})
	})
}

func drawEngine(d *rand.Rand) string {
	mode := "optimistic"
	if d.IntN(5) == 0 {
		mode = "optimistic-check"
	}
	return fmt.Sprintf(
		"engine: {mode: %s, batch: %d, gvt_interval: %d, kp: %d, throttle: %s}\n",
		mode, 1+d.IntN(40), 1+d.IntN(40), 1+d.IntN(6), drawThrottle(d),
	)
}

// drawThrottle mostly draws batches of one length, in which more comes too late.
func drawThrottle(d *rand.Rand) string {
	if d.IntN(3) == 0 {
		return ThrottleDynamic
	}
	return ThrottleStatic
}

// optimisticAgrees compares a run in the conservative mode with one in an optimistic mode. It
// returns how many windows were rolled back, and whether the mode was refused.
func optimisticAgrees(
	t *testing.T,
	text, engine string,
	processes, workers int,
) (undone uint64, refused bool) {
	t.Helper()
	want, err := inProcesses(t, text, 1, 1)
	if err != nil {
		t.Errorf("conservative: %v\n%s", err, text)
		return 0, false
	}
	got, err := inProcesses(t, text+engine, processes, workers)
	if err != nil {
		refused = strings.Contains(err.Error(), "engine.mode: ") || unshared(err)
		if !refused {
			t.Errorf("%d processes of %d workers: %v\n%s%s", processes, workers, err, text, engine)
		}
		return 0, refused
	}
	var r Result
	if err := json.Unmarshal([]byte(got["the result"]), &r); err != nil {
		t.Error(err)
		return 0, false
	}
	undone = r.Optimistic.RolledBack
	for _, all := range []map[string]string{want, got} {
		all["the result"] = unlikeEngines(t, all["the result"])
		delete(all, record.ExperimentFile)
	}
	for name := range want {
		if want[name] != got[name] {
			t.Errorf(
				"%s is another with %d processes of %d workers:\n%s%s\n%s",
				name, processes, workers, text, engine, firstDifference(want[name], got[name]),
			)
		}
	}
	return undone, false
}

// unlikeEngines returns a result without what tells of the engine.
func unlikeEngines(t *testing.T, text string) string {
	var r Result
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Error(err)
	}
	r.Engine, r.Optimistic = "", nil
	out, err := json.Marshal(r)
	if err != nil {
		t.Error(err)
	}
	return string(out)
}

// Windows of a network without links between routers are longer than the first pause of a run with
// traffic that has no end of its own. Nothing of it must go on without end.
func TestOptimisticLongWindows(t *testing.T) {
	const text = "network: {topology: {kind: fully-connected, routers: 1, hosts: 6}}\njobs:\n" +
		" - {name: a, ranks: 2, workload: {program: alltoall, size: 3KiB}}\n" +
		" - {name: b, ranks: 2, traffic: {load: 20%, size: 300B}}\n"
	if _, refused := optimisticAgrees(t, text, "engine: {mode: optimistic}\n", 1, 1); refused {
		t.Error("the run is refused")
	}
}

// TestOptimisticIsRefused holds that what cannot be taken back is refused with the reason.
func TestOptimisticIsRefused(t *testing.T) {
	const network = "network: {topology: {kind: torus, dims: [4, 4]}}\n"
	for load, want := range map[string]string{
		"workload: {program: alltoall, size: 1KiB}\nnode: {work: {combine: 1GB/s}}": "coroutines",
	} {
		e, err := Parse("x.yaml", network+load+"\nengine: {mode: optimistic}\n")
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.Run(context.Background(), Record(filepath.Join(t.TempDir(), "r")))
		if err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "engine.mode: found optimistic, expected conservative") {
			t.Errorf("%s: %v, want %q", load, err, want)
		}
	}
}

// TestOptimisticInterrupted: runs in optimistic modes that are interrupted at any time, while they
// are set up or later, end with the error that says so in all processes, and leave the folder of
// what had been simulated or nothing.
func TestOptimisticInterrupted(t *testing.T) {
	loads := []string{
		"workload: {program: alltoall, size: 64KiB}\nranks: 64", "traffic: {pattern: uniform, load: 60%}\nseed: 3",
		"jobs: [{ranks: 32, workload: {program: alltoall, size: 64KiB}}, {ranks: 32, traffic: {load: 30%}}]",
	}
	rapid.Check(t, func(t *rapid.T) {
		text := fmt.Sprintf(
			"network: {topology: {kind: torus, dims: [8, 8]}}\n%s\nengine: {mode: optimistic, batch: %d, kp: %d}\n",
			rapid.SampledFrom(loads).Draw(t, "load"), rapid.IntRange(1, 40).Draw(t, "batch"),
			rapid.IntRange(1, 5).Draw(t, "parts"),
		)
		e, err := Parse("x.yaml", text)
		if err != nil {
			t.Fatal(err)
		}
		folder, err := os.MkdirTemp("", "interrupted")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(folder)
		after := time.Duration(rapid.IntRange(0, 60_000).Draw(t, "us")) * time.Microsecond
		ctx, cancel := context.WithTimeout(context.Background(), after)
		defer cancel()
		n := rapid.IntRange(1, 3).Draw(t, "processes")
		_, errs := shareIn(func(int) context.Context { return ctx }, *e, n, func(int) []Option {
			return []Option{Record(filepath.Join(folder, "out"))}
		})
		for p, err := range errs {
			var interrupted *InterruptedError
			var elsewhere *ProcessError
			if err != nil && !errors.As(err, &interrupted) && (n == 1 || !errors.As(err, &elsewhere)) {
				t.Errorf("process %d of %d after %v: %v", p, n, after, err)
			}
		}
		left, err := os.ReadDir(folder)
		if err != nil || len(left) > 1 || len(left) == 1 && left[0].Name() != "out" {
			t.Errorf("%d processes leave %v, %v", n, left, err)
		}
	})
}
