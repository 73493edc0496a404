// Package longrun starts runs that tests look at while they are going on.
package longrun

import (
	"context"
	"testing"

	"fabricast"
)

// Small is a small torus whose bins come quickly.
func Small() *fabricast.Experiment {
	e := &fabricast.Experiment{
		Network:  fabricast.Network{Topology: fabricast.Topology{Kind: "torus", Dims: []int{4, 4, 2}}},
		Workload: fabricast.Workload{Program: "alltoall", Algorithm: "ring", Size: 4096, Iterations: 100_000},
	}
	e.Record.Bins.Interval = "50us"
	return e
}

// Large has 65,536 nodes, and bins so short that there is one every few seconds.
func Large() *fabricast.Experiment {
	e := &fabricast.Experiment{
		Network:  fabricast.Network{Topology: fabricast.Topology{Kind: "torus", Dims: []int{64, 32, 32}}},
		Workload: fabricast.Workload{Program: "uniform", Size: 256, Messages: 1_000_000, Window: 4},
	}
	e.Record.Bins.Interval = "100ns"
	return e
}

// Start starts a run that leaves its folder at dir, of an experiment that takes longer than a test. What is
// returned interrupts it, and returns when its folder is whole; the test fails if it had ended before.
func Start(t testing.TB, e *fabricast.Experiment, dir string) (interrupt func()) {
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	result := make(chan error, 1)
	go func() {
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
