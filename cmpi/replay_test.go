//go:build cgo && linux && amd64

package cmpi_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"fabricast"
	"fabricast/cmpi"
	"fabricast/collective"
	"fabricast/experiment"
	"fabricast/mpi"
)

// TestSmallSends demands the same prediction of blocking sends, for which a rank is not resumed if
// they are small, and of their two halves.
func TestSmallSends(t *testing.T) {
	const n = 64 // some are in the middle of their sends while others go on
	program := compile(t, "testdata/compute/sends.c")
	for _, copies := range []string{experiment.CopiesZero, experiment.CopiesOne} {
		var results [2]*fabricast.Result
		for i, args := range [][]string{nil, {"apart"}} {
			e := torus(n)
			e.Node.Copies = copies
			lines, result, err := runWith(t, e, program, cmpi.Options{}, args...)
			if err != nil || !slices.Equal(lines, ends(n)) {
				t.Fatalf("%s %v: %v\n%s", copies, args, err, strings.Join(lines, "\n"))
			}
			results[i] = result
		}
		if whole, apart := results[0], results[1]; whole.Hash != apart.Hash ||
			whole.RankEnd != apart.RankEnd {
			t.Errorf(
				"%s: found %s, ends %+v; in two halves %s, ends %+v",
				copies, whole.Hash, whole.RankEnd, apart.Hash, apart.RankEnd,
			)
		}
	}
}

// TestCollectivesWithoutStacks demands the same prediction of collectives in C, which are run anew
// to go on, and in Go, where they are coroutines.
func TestCollectivesWithoutStacks(t *testing.T) {
	const count = 5 * 4 // bytes, as in the program
	program := compile(t, "testdata/compute/rounds.c")
	for _, n := range []int{6, 7, 8} {
		alltoall, allgather := collective.Ring, collective.Ring
		if n == 8 {
			alltoall, allgather = collective.Pairwise, collective.RecursiveDoubling
		}
		e := torus(n)
		args := []string{string(alltoall), string(allgather)}
		lines, ofC, err := runWith(t, e, program, cmpi.Options{}, args...)
		if err != nil || !slices.Equal(lines, ends(n)) {
			t.Fatalf("%d ranks: %v\n%s", n, err, strings.Join(lines, "\n"))
		}
		// an operation of the program's own needs a coroutine
		lines, own, err := runWith(t, torus(n), program, cmpi.Options{}, append(args, "own")...)
		if err != nil || !slices.Equal(lines, ends(n)) {
			t.Fatalf("%d ranks, own operation: %v\n%s", n, err, strings.Join(lines, "\n"))
		}
		if ofC.Hash != own.Hash || ofC.RankEnd != own.RankEnd {
			t.Errorf("%d ranks: found %s, with an own operation %s", n, ofC.Hash, own.Hash)
		}
		e = torus(n)
		e.Launch = mpi.Programs(func(r *mpi.Rank) {
			r.Barrier(collective.Default)
			r.Alltoall(mpi.Size(n*count), mpi.Size(n*count), alltoall)
			r.Allgather(mpi.Size(count), mpi.Size(n*count), allgather)
			r.Broadcast(mpi.Size(count), 1, collective.Default)
			for range 2 {
				r.Allreduce(mpi.Size(count), mpi.Size(count), nil, collective.RecursiveDoubling)
			}
			r.Barrier(collective.Default)
		})
		ofGo, err := e.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if ofC.Hash != ofGo.Hash || ofC.RankEnd != ofGo.RankEnd {
			t.Errorf(
				"%d ranks: found %s, ends %+v; in Go %s, ends %+v",
				n, ofC.Hash, ofC.RankEnd, ofGo.Hash, ofGo.RankEnd,
			)
		}
	}
}
