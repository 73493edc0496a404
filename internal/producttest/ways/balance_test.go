package ways

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/draws"
	"fabricast/mpi"
	"fabricast/rdma"
)

// TestMovesCarryStacks: ranks that are coroutines move as others do, with contents of messages,
// communicators that are made on the way, and memory that others write to.
func TestMovesCarryStacks(t *testing.T) {
	for _, protocol := range []experiment.Protocol{{}, {Rendezvous: "write", Eager: 100}, {Rendezvous: "read", Eager: 100}} {
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
		want, err := e.Run(context.Background(), fabricast.Workers(1))
		if err != nil {
			t.Fatal(err)
		}
		var moves atomic.Int64
		for seed := range draws.Seeds(4, 80) {
			got, err := e.Run(context.Background(), fabricast.Workers(2+int(seed)%3), restlessly(seed, &moves))
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
	if testing.Short() {
		t.Skip("a large network; the other tests of moves are parallel, too")
	}
	text := `
network: {topology: {kind: torus, dims: [8, 8, 8]}}
jobs:
  - {name: hot, traffic: {pattern: uniform, load: 40%, size: 4KiB}, ranks: 52, placement: linear, duration: 300us}
  - {name: cold, traffic: {pattern: uniform, load: 0.5%, size: 4KiB}, ranks: 460, placement: linear, duration: 300us}
engine: {balance: `
	result := func(balance string) *fabricast.Result {
		e, err := fabricast.Parse("hot.yaml", text+balance+"}\n")
		if err != nil {
			t.Fatal(err)
		}
		r, err := e.Run(context.Background(), fabricast.Workers(2))
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
	e, err := fabricast.Parse("x.yaml", text+"record: {messages: true}\n")
	if err != nil {
		t.Fatal(err)
	}
	var notes []string
	r, err := e.Run(
		context.Background(), fabricast.Workers(2), fabricast.Record(filepath.Join(t.TempDir(), "r")),
		fabricast.OnNote(func(text string) { notes = append(notes, text) }),
	)
	if err != nil || r.Moves != 0 ||
		!strings.Contains(strings.Join(notes, "\n"), "engine.balance: routers stay with their workers, because the run records") {
		t.Errorf("%v, %q", err, notes)
	}
	for balance, want := range map[string]string{
		"often}":                     "engine.balance: found often, expected one of static, dynamic",
		"dynamic, mode: optimistic}": "engine.balance: found dynamic, expected static",
	} {
		_, err := fabricast.Parse("x.yaml", strings.Replace(text, "dynamic}", balance, 1))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", balance, err)
		}
	}
}
