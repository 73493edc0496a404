//go:build cgo && linux && amd64

package cmpi_test

import (
	"testing"

	"fabricast"
	"fabricast/cmpi"
	"fabricast/collective"
	"fabricast/experiment"
	"fabricast/mpi"
)

// TestWorkOfCollectives: collectives of programs in C take as long for combining and copying as those
// of programs in Go.
func TestWorkOfCollectives(t *testing.T) {
	program := compile(t, "testdata/work/work.c")
	const size, all = 4000, 16 * 4000
	sum := collective.SumInt64
	for _, test := range []struct {
		name, algorithm string
		kind            collective.Kind
		inGo            func(r *mpi.Rank)
	}{
		{"allreduce", "recursive-doubling", collective.KindAllreduce, func(r *mpi.Rank) {
			r.Allreduce(mpi.Size(size), mpi.Size(size), sum, "recursive-doubling")
		}},
		{"background", "recursive-doubling", collective.KindAllreduce, func(r *mpi.Rank) {
			r.Allreduce(mpi.Size(size), mpi.Size(size), sum, "recursive-doubling")
		}},
		{"allgather", "ring", collective.KindAllgather, func(r *mpi.Rank) {
			r.Allgather(mpi.Size(size), mpi.Size(all), "ring")
		}},
		{"alltoall", "bruck", collective.KindAlltoall, func(r *mpi.Rank) {
			r.Alltoall(mpi.Size(all), mpi.Size(all), "bruck")
		}},
		{"reduce", "binary", collective.KindReduce, func(r *mpi.Rank) {
			r.Reduce(mpi.Size(size), mpi.Size(size), sum, 0, "binary")
		}},
	} {
		e := torus(16)
		e.Node = experiment.Node{
			Overhead: 100_000, Work: experiment.Work{Combine: 10_000_000_000, Copy: 1_000_000_000},
		}
		e.Program = test.inGo
		want, err := e.Run(t.Context(), fabricast.Workers(1))
		if err != nil {
			t.Fatal(err)
		}
		times := [2]fabricast.Time{}
		rates := e.Node.Work
		for i, work := range []experiment.Work{{}, rates} {
			e := torus(16)
			e.Node = experiment.Node{Overhead: 100_000, Work: work}
			o := cmpi.Options{Algorithms: map[collective.Kind]collective.Algorithm{
				test.kind: collective.Algorithm(test.algorithm),
			}}
			_, result, err := runWith(t, e, program, o, test.name)
			if err != nil {
				t.Fatal(err)
			}
			times[i] = result.SimulatedTime
		}
		if times[1] != want.SimulatedTime || times[0] >= times[1] {
			t.Errorf("%s: %v without work, %v with it, expected %v as in Go", test.name,
				times[0], times[1], want.SimulatedTime)
		}
	}
}

// TestSetupOfExchanges: the software of large messages takes its time, at both ends, also in
// collectives that need no stack, and also if NICs never have to answer.
func TestSetupOfExchanges(t *testing.T) {
	program := compile(t, "testdata/work/work.c")
	run := func(setup fabricast.Time, twoSided bool) int64 {
		above := fabricast.Bytes(3999)
		e := torus(16)
		e.TwoSided = twoSided
		e.Node = experiment.Node{
			Overhead: 100_000, Protocol: experiment.Protocol{SetupAbove: &above, Setup: setup},
		}
		o := cmpi.Options{Algorithms: map[collective.Kind]collective.Algorithm{
			collective.KindAllgather: "ring",
		}}
		_, result, err := runWith(t, e, program, o, "allgather")
		if err != nil {
			t.Fatal(err)
		}
		return int64(result.SimulatedTime)
	}
	const setup, rounds = 5_000_000, 15
	for _, twoSided := range []bool{false, true} {
		if took := run(setup, twoSided) - run(0, twoSided); took != rounds*2*setup {
			t.Errorf("two-sided %v: setup takes %d ps, expected %d", twoSided, took, rounds*2*setup)
		}
	}
}
