// Package longrun starts runs that tests look at while they are going on.
package longrun

import (
	"context"
	"testing"

	"fabricast"
)

// Start starts a run of a small torus that records bins, leaves its folder at dir and goes on for longer than
// a test. What is returned interrupts it, and returns when its folder is whole; the test fails if it had ended before.
func Start(t testing.TB, dir string) (interrupt func()) {
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	result := make(chan error, 1)
	go func() {
		e := &fabricast.Experiment{
			Network:  fabricast.Network{Topology: fabricast.Topology{Kind: "torus", Dims: []int{4, 4, 2}}},
			Workload: fabricast.Workload{Program: "alltoall", Algorithm: "ring", Size: 4096, Iterations: 100_000},
		}
		e.Record.Bins.Interval = "50us"
		_, err := e.Run(ctx, fabricast.Record(dir))
		result <- err
	}()
	return func() {
		t.Helper()
		cancel()
		if err := <-result; err == nil {
			t.Fatal("the run had ended before it was looked at")
		}
	}
}
