package mpi_test

import (
	"testing"

	"fabricast/mpi"
	"fabricast/node"
)

func TestRecordsAddUp(t *testing.T) {
	w := runWith(t, testSpec(3), slow(), func(r *mpi.Rank) {
		switch r.Rank() {
		case 0:
			r.Compute(7 * mpi.Nanosecond)
			r.Send(mpi.Size(100), 1, 0)
			r.Send(mpi.Size(5), 2, 0)
		case 1:
			r.Recv(mpi.Size(100), 0, 0)
		}
	})
	want := []node.RankRecord{
		{
			Rank:         0,
			Host:         0,
			End:          7000 + 1200 + 1010,
			Compute:      7000,
			Overhead:     2000,
			Wait:         210,
			MessagesSent: 2,
			BytesSent:    105,
		},
		{
			Rank:             1,
			Host:             1,
			End:              8000 + 50_300 + 1000,
			Overhead:         1000,
			Wait:             58_300,
			MessagesReceived: 1,
			BytesReceived:    100,
		},
		{Rank: 2, Host: 2, MessagesReceived: 1, BytesReceived: 5},
	}
	for i, r := range want {
		if got := w.Record(i); got != r {
			t.Errorf("rank %d: %+v, want %+v", i, got, r)
		}
	}
	s := w.Stats()
	if s.Ranks != 3 || s.Finished != 3 || s.Messages != 2 || s.Bytes != 105 || s.Unmet != 1 ||
		s.End != 59_300 {
		t.Errorf("%+v", s)
	}
	if l := s.Latency; l.Count() != 2 || l.Max() != 51_300 || l.Mean() != (51_300+51_015)/2 {
		t.Errorf("latency: %d, mean %d, maximum %d", l.Count(), l.Mean(), l.Max())
	}
}

func TestHashTellsRunsApart(t *testing.T) {
	hash := func(delay mpi.Duration) [2]uint64 {
		w := runWith(t, testSpec(2), slow(), func(r *mpi.Rank) {
			if r.Rank() == 0 {
				r.Compute(delay)
				r.Send(mpi.Size(1), 1, 0)
			} else {
				r.Recv(mpi.Size(1), 0, 0)
			}
		})
		return w.Stats().Hash
	}
	first, again, other := hash(1), hash(1), hash(2)
	if first != again || first == other {
		t.Error("the hash does not follow the run")
	}
}
