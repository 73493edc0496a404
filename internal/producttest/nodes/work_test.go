// Package nodes tests what ranks and NICs do, in runs of whole experiments: programs, protocols, pacing, noise.
package nodes

import (
	"context"
	"testing"

	"fabricast"
	"fabricast/experiment"
	"fabricast/topology"
)

// TestWorkTakesItsTime holds collectives on two ranks to closed forms of what they combine and copy.
func TestWorkTakesItsTime(t *testing.T) {
	const size = 1_000_000
	run := func(program, algorithm string, work experiment.Work) int64 {
		t.Helper()
		e := fabricast.Experiment{
			Network:  experiment.Network{Topology: topology.TorusSpec{Dims: []int{2}}},
			Node:     experiment.Node{Overhead: 200_000, Work: work},
			Workload: experiment.Workload{Program: program, Algorithm: algorithm, Size: size},
		}
		var hash string
		var took int64
		for workers := 1; workers <= 2; workers++ {
			r, err := e.Run(context.Background(), fabricast.Workers(workers))
			if err != nil {
				t.Fatal(err)
			}
			if workers > 1 && r.Hash != hash {
				t.Errorf("%s: %s with one worker, %s with two", program, hash, r.Hash)
			}
			hash, took = r.Hash, int64(r.SimulatedTime)
		}
		return took
	}
	// 1 ps a byte combined, 10 ps a byte copied
	work := experiment.Work{Combine: 1_000_000_000_000, Copy: 100_000_000_000}
	check := func(program, algorithm string, combined, copied int64) {
		t.Helper()
		took := run(program, algorithm, work) - run(program, algorithm, experiment.Work{})
		if want := combined + 10*copied; took != want {
			t.Errorf("%s %s: work takes %d ps, expected %d", program, algorithm, took, want)
		}
	}
	check("allreduce", "recursive-doubling", size, size) // its own vector, then the other's
	check("broadcast", "binomial", 0, 0)                 // nothing but messages
	check("allgather", "ring", 0, size)                  // its own block
	check("alltoall", "bruck", 0, 2*size+3*size+2*size)  // turn, pack, unpack, move, turn back
	check("reduce-scatter", "pairwise", size, size)      // its own block, then the other's
	check("scan", "recursive-doubling", size, 2*size)    // in and out; rank 1 adds rank 0's
	check("alltoall", "butterfly", 0, 2*size+size+size)  // all, pack, unpack
	check("allreduce", "rabenseifner", size/2, size)     // half of the vector
	check("reduce", "binomial", size, size)              // at the root
	check("gather", "binomial", 0, 0)                    // the root's block, while others come
	check("reduce", "binary/segment=0", size, 0)         // at the root; operands are where they are
	check("reduce-scatter", "ring", size, 3*size)        // both operands, then the result
	check("allgather", "bruck", 0, size+3*size)          // the own block; rank 1 turns two blocks
}

// TestSetupTakesItsTime: it is the sender's, once for each rendezvous.
func TestSetupTakesItsTime(t *testing.T) {
	run := func(setup fabricast.Time, size int64) int64 {
		t.Helper()
		e := fabricast.Experiment{
			Network:  experiment.Network{Topology: topology.TorusSpec{Dims: []int{2}}},
			Node:     experiment.Node{Overhead: 200_000, Protocol: experiment.Protocol{Eager: 1000, Setup: setup}},
			Workload: experiment.Workload{Program: "pingpong", Size: fabricast.Bytes(size)},
		}
		preview, err := e.Preview()
		if err != nil {
			t.Fatal(err)
		}
		r, err := e.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if zero := int64(preview.ZeroLoad.Neighbour); int64(r.SimulatedTime) != 2*zero {
			t.Errorf("setup %v, %d bytes: %v, expected twice the zero load, %d", setup, size, r.SimulatedTime, zero)
		}
		return int64(r.SimulatedTime)
	}
	for size, want := range map[int64]int64{1000: 0, 1001: 2 * 5_000_000} {
		if took := run(5_000_000, size) - run(0, size); took != want {
			t.Errorf("%d bytes: setup takes %d ps, expected %d", size, took, want)
		}
	}
}
