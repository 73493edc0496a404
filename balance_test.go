package fabricast

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"fabricast/engine"
	"fabricast/fabric"
	"fabricast/internal/run"
	"fabricast/mpi"
	"fabricast/rdma"
)

// restless moves routers between blocks at random, however the work is divided.
type restless struct {
	cells    *fabric.Cells
	random   *rand.Rand
	interval uint64
	moves    *atomic.Int64
}

// restlessly returns an option that has routers move at random, and counts the moves.
func restlessly(seed uint64, moves *atomic.Int64) Option {
	return run.BalanceBy(func(c *fabric.Cells) engine.Balancer {
		return &restless{c, rand.New(rand.NewPCG(seed, 3)), 1, moves}
	})
}

func (r *restless) Interval() uint64 { return r.interval }

func (r *restless) Look() {
	r.interval = 1 + r.random.Uint64N(1<<r.random.IntN(10))
	cuts := r.cells.Cuts()
	cells := cuts[len(cuts)-1]
	for i := 1; i < len(cuts)-1; i++ {
		cuts[i] = cuts[i-1] + 1 + r.random.IntN(cells-cuts[i-1]-(len(cuts)-1-i))
	}
	r.cells.Recut(cuts)
	r.moves.Add(1)
}

// TestMovesChangeNothing holds that a result does not depend on the workers that routers belong to,
// nor on when they move. Of every network, routing and switch that can be named one experiment is
// drawn: a program with one of the protocols, traffic, or several jobs.
func TestMovesChangeNothing(t *testing.T) {
	var moves atomic.Int64
	t.Run("networks", func(t *testing.T) {
		eachSmallNetwork(t, func(t *testing.T, network string) {
			t.Parallel()
			d := drawsFor(t)
			eachRouting(t, d, network, func(routing string) {
				if testing.Short() && d.IntN(20) > 0 { // under the race detector all would take minutes
					return
				}
				movesAgree(t, drawMoving(t, d, network, routing), 2+d.IntN(3), d.Uint64(), &moves)
			})
		})
	})
	if moves.Load() < 100 {
		t.Errorf("routers moved %d times", moves.Load())
	}
}

// drawMoving draws an experiment in which routers can move.
func drawMoving(t *testing.T, d *rand.Rand, network, routing string) string {
	load := withoutRecord(drawLoad(d))
	switch d.IntN(4) {
	case 0:
		load = drawJobs(d, hostsOf(t, network), true)
	case 1:
		load = "traffic: {" + drawLoop(d) + ", measure: {longest: 2us, bin: 100ns}}\n"
	case 2:
		load = "node: {nics: " + one(d, "1", "2") + ", protocol: {eager: 256B, rendezvous: " +
			one(d, "write", "read") + "}}\n" +
			"workload: {program: alltoall, algorithm: simple-spread, size: 700B}\n"
	}
	return fmt.Sprintf(
		"network: {topology: %s, routing: %s, router: %s}\npartition: %s\n%s", network, routing,
		drawRouter(d, switches[d.IntN(len(switches))]), one(d, "linear", "topology", "graph"), load,
	)
}

// movesAgree compares a run with one in which routers move at random.
func movesAgree(t *testing.T, text string, workers int, seed uint64, moves *atomic.Int64) {
	t.Helper()
	want, err := allOf(t, text, 1)
	if err != nil {
		t.Errorf("1 worker: %v\n%s", err, text)
		return
	}
	got, err := allOf(t, text, workers, restlessly(seed, moves))
	if err != nil {
		t.Errorf("%d workers: %v\n%s", workers, err, text)
		return
	}
	for name := range want {
		if want[name] != got[name] {
			t.Errorf(
				"%s is another with %d workers between which routers move:\n%s\n%s", name, workers, text,
				firstDifference(want[name], got[name]),
			)
		}
	}
}

// TestMovesBetweenProcesses holds that a result does not depend on the processes that routers, NICs and
// ranks belong to, nor on when they move. Goroutines take the place of processes. Experiments are drawn
// as in TestMovesChangeNothing.
func TestMovesBetweenProcesses(t *testing.T) {
	var moves atomic.Int64
	t.Run("networks", func(t *testing.T) {
		eachSmallNetwork(t, func(t *testing.T, network string) {
			t.Parallel()
			d := drawsFor(t)
			eachRouting(t, d, network, func(routing string) {
				if testing.Short() && d.IntN(20) > 0 || d.IntN(2) > 0 {
					return
				}
				text := drawMoving(t, d, network, routing)
				movesAcrossAgree(t, text, 2+d.IntN(3), 1+d.IntN(2), d.Uint64(), &moves)
			})
		})
	})
	if moves.Load() < 100 {
		t.Errorf("routers moved %d times", moves.Load())
	}
}

// movesAcrossAgree compares a run in one process with one in several between which routers move at
// random.
func movesAcrossAgree(t *testing.T, text string, n, workers int, seed uint64, moves *atomic.Int64) {
	t.Helper()
	want, err := inProcesses(t, text, 1, 1)
	if err != nil {
		t.Errorf("1 process: %v\n%s", err, text)
		return
	}
	got, err := inProcesses(t, text, n, workers, restlessly(seed, moves))
	if err != nil {
		if !unshared(err) {
			t.Errorf("%d processes of %d workers: %v\n%s", n, workers, err, text)
		}
		return
	}
	for name := range want {
		if want[name] != got[name] {
			t.Errorf(
				"%s is another with %d processes of %d workers between which routers move:\n%s\n%s",
				name, n, workers, text, firstDifference(want[name], got[name]),
			)
			return
		}
	}
}

// TestMovesCarryStacks: ranks that are coroutines move as others do, with contents of messages,
// communicators that are made on the way, and memory that others write to.
func TestMovesCarryStacks(t *testing.T) {
	for _, protocol := range []Protocol{{}, {Rendezvous: "write", Eager: 100}, {Rendezvous: "read", Eager: 100}} {
		e := ring(func(r *mpi.Rank) {
			me, n := r.Rank(), r.Size()
			memory := make([]byte, 64)
			nic := rdma.Open(r)
			region := nic.Register(mpi.Data(memory))
			both := r.Split(0, me).Dup()
			for step := range 2 * n {
				sent := bytes.Repeat([]byte{byte(me), byte(step)}, 10+step*30)
				got := make([]byte, len(sent))
				both.Sendrecv(mpi.Data(sent), (me+step)%n, step, mpi.Data(got), (me+2*n-step)%n, step)
				if int(got[0]) != (me+2*n-step)%n || int(got[len(got)-1]) != step {
					panic(fmt.Errorf("step %d: rank %d got %v", step, me, got))
				}
				nic.Complete(nic.FetchAdd(region.At((me+5)%n, 16), 3))
				r.Compute(mpi.Duration(1000*(1+int(got[0]))) * mpi.Picosecond)
			}
			r.Barrier("")
			if memory[16] != byte(6*n) {
				panic(fmt.Errorf("rank %d finds %v", me, memory[:24]))
			}
		})
		e.Node.Protocol = protocol
		want, err := e.Run(context.Background(), Workers(1))
		if err != nil {
			t.Fatal(err)
		}
		var moves atomic.Int64
		for seed := range uint64(10) {
			got, err := e.Run(context.Background(), Workers(2+int(seed)%3), restlessly(seed, &moves))
			if err != nil || got.Hash != want.Hash || got.SimulatedTime != want.SimulatedTime {
				t.Fatalf("seed %d: %v, %+v", seed, err, got)
			}
		}
		if moves.Load() == 0 {
			t.Error("nothing has moved")
		}
	}
}

// TestBalanceOfHotSpot: where some hosts next to each other send most, routers move, and workers have
// about as much to do.
func TestBalanceOfHotSpot(t *testing.T) {
	text := `
network: {topology: {kind: torus, dims: [8, 8, 8]}}
jobs:
  - {name: hot, traffic: {pattern: uniform, load: 40%, size: 4KiB}, ranks: 52, placement: linear, duration: 300us}
  - {name: cold, traffic: {pattern: uniform, load: 0.5%, size: 4KiB}, ranks: 460, placement: linear, duration: 300us}
engine: {balance: `
	result := func(balance string) *Result {
		e, err := Parse("hot.yaml", text+balance+"}\n")
		if err != nil {
			t.Fatal(err)
		}
		r, err := e.Run(context.Background(), Workers(2))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	static, dynamic := result("static"), result("dynamic")
	if static.Hash != dynamic.Hash {
		t.Errorf("hash %s, with routers that move %s", static.Hash, dynamic.Hash)
	}
	if static.Balance > 0.7 || static.Moves != 0 || dynamic.Balance < 0.9 || dynamic.Moves == 0 {
		t.Errorf(
			"balance %.3f and %d moves, with routers that move %.3f and %d", static.Balance, static.Moves,
			dynamic.Balance, dynamic.Moves,
		)
	}
}

// TestBalanceIsOff: where routers cannot move the run goes on without, and says so; where the
// experiment is wrong it is refused.
func TestBalanceIsOff(t *testing.T) {
	const text = "network: {topology: {kind: torus, dims: [4, 4]}}\n" +
		"workload: {program: alltoall, size: 1KiB}\nengine: {balance: dynamic}\n"
	e, err := Parse("x.yaml", text+"record: {messages: true}\n")
	if err != nil {
		t.Fatal(err)
	}
	var notes []string
	r, err := e.Run(
		context.Background(), Workers(2), Record(filepath.Join(t.TempDir(), "r")),
		OnNote(func(text string) { notes = append(notes, text) }),
	)
	if err != nil || r.Moves != 0 ||
		!strings.Contains(strings.Join(notes, "\n"), "engine.balance: routers stay with their workers, because the run records") {
		t.Errorf("%v, %q", err, notes)
	}
	for balance, want := range map[string]string{
		"often}":                     "engine.balance: found often, expected one of static, dynamic",
		"dynamic, mode: optimistic}": "engine.balance: found dynamic, expected static",
	} {
		_, err := Parse("x.yaml", strings.Replace(text, "dynamic}", balance, 1))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", balance, err)
		}
	}
}
