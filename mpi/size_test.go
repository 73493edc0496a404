//go:build !race

package mpi_test

import (
	"testing"

	"fabricast/mpi"
)

// The race detector's own records multiply what a rank takes, so its size is
// measured in the other builds only.

// exchange is what the memory of a rank is measured with: each rank sends and
// receives once and is then held back.
func exchange(r *mpi.Rank) {
	n := r.Size()
	q := r.Irecv(mpi.Size(8), (r.Rank()+n-1)%n, 0)
	r.Send(mpi.Size(8), (r.Rank()+1)%n, 0)
	r.Wait(q)
	r.Recv(mpi.Size(8), r.Rank(), 1)
}

func TestRankFitsInThreeAndAHalfKiB(t *testing.T) {
	const ranks = 50_000
	before := memory()
	w := runWith(t, testSpec(ranks), slow(), exchange)
	each := (memory() - before) / ranks
	t.Logf("%d bytes a rank, with the test's network", each)
	if each > 3584 {
		t.Errorf("a waiting rank takes %d bytes", each)
	}
	if w.Finished() != 0 {
		t.Error("ranks have ended")
	}
}
