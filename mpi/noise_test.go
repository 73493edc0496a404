package mpi_test

import (
	"testing"

	"fabricast/mpi"
	"fabricast/node"
)

// disturbed runs a program on ranks that begin late or lose their processors, and
// compares the clocks at which they ended, in ps.
func disturbed(t *testing.T, begin []int64, noise node.Noise, main func(*mpi.Rank), want ...int64) {
	t.Helper()
	for _, late := range []bool{false, true} {
		spec := testSpec(len(want))
		spec.Begin, spec.Noise = begin, noise
		network := slow()
		network.Late = late
		w := runWith(t, spec, network, main)
		if err := w.Err(); err != nil {
			t.Fatal(err)
		}
		for rank, end := range want {
			r := w.Record(rank)
			if int64(r.End) != end {
				t.Errorf("late %v: rank %d ends at %d ps, want %d", late, rank, int64(r.End), end)
			}
			start := int64(0)
			if begin != nil {
				start = begin[rank]
			}
			if start+int64(r.Wait)+int64(r.Compute)+int64(r.Overhead) != int64(r.End) {
				t.Errorf("late %v: what rank %d did does not add up to its end: %+v", late, rank, r)
			}
		}
	}
}

func TestRanksBeginLate(t *testing.T) {
	disturbed(t, []int64{700, 0}, node.Noise{}, func(r *mpi.Rank) {
		if r.Rank() == 0 {
			r.Send(mpi.Size(0), 1, 0)
		} else {
			r.Recv(mpi.Size(0), 0, 0)
		}
	}, 700+1000, 700+1000+50_000+1000)
	// A message that comes before its receiver has begun waits for it.
	disturbed(t, []int64{0, 90_000}, node.Noise{}, func(r *mpi.Rank) {
		if r.Rank() == 0 {
			r.Send(mpi.Size(0), 1, 0)
		} else {
			r.Recv(mpi.Size(0), 0, 0)
		}
	}, 1000, 90_000+1000)
}

// Losses are from 10 to 14 ns, 30 to 34 ns, and so on.
var losses = node.Noise{Every: 20_000, Lose: 4_000, Aligned: true}

func TestComputationGoesRoundLosses(t *testing.T) {
	for _, c := range []struct{ compute, end int64 }{
		{9_999, 9_999},
		{10_000, 10_000}, // done when the loss begins
		{10_001, 14_001},
		{26_000, 30_000},
		{26_001, 34_001},
	} {
		disturbed(t, nil, losses, func(r *mpi.Rank) { r.Compute(mpi.Duration(c.compute)) }, c.end)
	}
	// Work that begins when a loss does waits for its end.
	disturbed(t, []int64{10_000}, losses, func(r *mpi.Rank) { r.Compute(1) }, 14_001)
}

func TestLossesDuringWaitsAreAbsorbed(t *testing.T) {
	// Sent at 0, there at 51 ns: the losses from 10, 30 ns are over by then, that from 50
	// to 54 ns is not.
	disturbed(t, nil, losses, func(r *mpi.Rank) {
		if r.Rank() == 0 {
			r.Send(mpi.Size(0), 1, 0)
		} else {
			r.Recv(mpi.Size(0), 0, 0)
		}
	}, 1000, 54_000+1000)
	// Sent 5 ns later, there at 56 ns: nobody notices.
	disturbed(t, nil, losses, func(r *mpi.Rank) {
		if r.Rank() == 0 {
			r.Compute(5000)
			r.Send(mpi.Size(0), 1, 0)
		} else {
			r.Recv(mpi.Size(0), 0, 0)
		}
	}, 6000, 56_000+1000)
}
