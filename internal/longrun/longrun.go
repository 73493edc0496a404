// Package longrun starts runs that tests observe during the run.
package longrun

import (
	"context"
	"testing"

	"fabricast"
	"fabricast/experiment"
	"fabricast/topology"
)

// Small returns an experiment on a small torus whose bins are complete quickly.
func Small() *fabricast.Experiment {
	e := &fabricast.Experiment{
		Network:  experiment.Network{Topology: topology.TorusSpec{Dims: []int{4, 4, 2}}},
		Workload: experiment.Workload{Program: "alltoall", Algorithm: "ring", Size: 4096, Iterations: 100_000},
	}
	e.Record.Bins.Interval = "50us"
	return e
}

// Large returns an experiment on a torus of some ten thousand nodes, with bins so short that one is
// complete every few seconds.
func Large(dims ...int) *fabricast.Experiment {
	e := &fabricast.Experiment{
		Network:  experiment.Network{Topology: topology.TorusSpec{Dims: dims}},
		Workload: experiment.Workload{Program: "uniform", Size: 256, Messages: 1_000_000, Window: 4},
	}
	e.Record.Bins.Interval = "100ns"
	return e
}

// Start starts a run, of an experiment that takes longer than a test, with the result folder dir.
// interrupt interrupts the run and returns when the folder is complete. The test fails if the run
// has already ended by then.
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
