package mpi_test

import (
	"fmt"
	"strings"
	"testing"

	"fabricast/collective"
	"fabricast/fabric"
	"fabricast/mpi"
)

// A communicator's collectives are paced from one call of Pace to the next, and nothing else is;
// nor are those of communicators made from it.
func TestPaceIsOfCollectives(t *testing.T) {
	var got []uint32
	network := slow()
	network.Posted = func(m *fabric.Message, x *fabric.Extra) {
		if m.Src != 0 {
			return
		}
		if x == nil {
			got = append(got, 0)
		} else {
			got = append(got, x.Gap)
		}
	}
	w := runWith(t, testSpec(2), network, func(r *mpi.Rank) {
		other := 1 - r.Rank()
		barrier := func(c *mpi.Comm) { c.Barrier(collective.Dissemination) }
		barrier(&r.Comm)
		r.Pace(&mpi.Pacing{Gaps: []uint32{5}})
		barrier(&r.Comm)
		r.Sendrecv(mpi.Size(8), other, 0, mpi.Size(8), other, 0)
		half := r.Split(0, r.Rank())
		barrier(half)
		r.Pace(nil)
		barrier(&r.Comm)
	})
	if w.Err() != nil || w.Finished() != 2 {
		t.Fatal(w.Err())
	}
	// What Split sends is between the exchange and the last two barriers.
	if n := len(got); n < 5 || got[0] != 0 || got[1] != 5 || got[2] != 0 || got[n-2] != 0 || got[n-1] != 0 {
		t.Errorf("gaps of rank 0: %d", got)
	}
}

// A rank whose calls are not steps of the same numbers gets the gaps of the steps that they are.
func TestPaceByStepsOfRanks(t *testing.T) {
	var got [2][]uint32
	network := slow()
	network.Posted = func(m *fabric.Message, x *fabric.Extra) { got[m.Src] = append(got[m.Src], x.Gap) }
	w := runWith(t, testSpec(2), network, func(r *mpi.Rank) {
		r.Pace(&mpi.Pacing{Gaps: []uint32{1, 2, 3, 4}, Steps: [][]int32{nil, {3, 1}}})
		c := r.Collective()
		for range 3 {
			c.Sendrecv(mpi.Size(8), 1-c.Rank(), 0, mpi.Size(8), 1-c.Rank(), 0)
		}
	})
	if w.Err() != nil || w.Finished() != 2 {
		t.Fatal(w.Err())
	}
	if s := fmt.Sprint(got); s != "[[1 2 3] [4 2 3]]" {
		t.Errorf("gaps %s", s)
	}
}

func TestWrongPacingPanics(t *testing.T) {
	for words, p := range map[string]mpi.Pacing{
		"pacing with a barrier every -7 steps: expected at least 1, 0 for none or mpi.Once (-1)": {Every: -7},
		"pacing with step -1 for call 1 of rank 0: expected steps from 0 on":                     {Gaps: []uint32{1}, Steps: [][]int32{{0, -1}}},
		"send with a gap of 16777217 packet times: expected at most 16777216":                    {Gaps: []uint32{fabric.MaxGap + 1}},
	} {
		w := runWith(t, testSpec(2), slow(), func(r *mpi.Rank) {
			r.Pace(&p)
			r.Alltoall(mpi.Size(16), mpi.Size(16), collective.Ring)
		})
		if w.Err() == nil || !strings.Contains(w.Err().Error(), words) {
			t.Errorf("%v, want %s", w.Err(), words)
		}
	}
}

// An algorithm of one's own is a collective too, with steps of its own.
func TestCollectiveOfOnesOwn(t *testing.T) {
	const ranks = 4
	var got [ranks][]uint32
	network := slow()
	network.Posted = func(m *fabric.Message, x *fabric.Extra) { got[m.Src] = append(got[m.Src], x.Gap) }
	w := runWith(t, testSpec(ranks), network, func(r *mpi.Rank) {
		r.Pace(&mpi.Pacing{Gaps: []uint32{1, 2, 3}})
		for range 2 {
			c := r.Collective()
			up, down := (c.Rank()+1)%ranks, (c.Rank()+ranks-1)%ranks
			c.Sendrecv(mpi.Size(8), up, 0, mpi.Size(8), down, 0)
			q := c.Irecv(mpi.Size(8), down, 0)
			c.Wait(c.Isend(mpi.Size(8), up, 0))
			c.Wait(q)
			if c.Rank()%2 == 0 {
				c.Send(mpi.Size(8), up, 0)
			} else {
				c.Recv(mpi.Size(8), down, 0)
			}
		}
	})
	if w.Err() != nil || w.Finished() != ranks {
		t.Fatal(w.Err())
	}
	for rank, gaps := range got {
		want := "[1 2 3 1 2 3]"
		if rank%2 == 1 {
			want = "[1 2 1 2]"
		}
		if s := fmt.Sprint(gaps); s != want {
			t.Errorf("rank %d: gaps %s, want %s", rank, s, want)
		}
	}
}
