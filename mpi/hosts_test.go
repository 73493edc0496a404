package mpi_test

import (
	"strings"
	"testing"

	"fabricast/mpi"
	"fabricast/node"
	"fabricast/node/nodetest"
)

// paired puts ranks 0 and 1 on host 0, ranks 2 and 3 on host 1, and so on.
func paired(ranks int) node.Spec {
	s := testSpec(ranks)
	for i := range s.HostOf {
		s.HostOf[i] = int32(i / 2)
	}
	s.Intra = node.Intra{Latency: 70_000, Bandwidth: 5e10} // 20 ps a byte
	return s
}

func TestMessagesWithinAHostTakeTheirTime(t *testing.T) {
	for _, copies := range []struct {
		one        bool
		sent, done mpi.Duration
	}{
		{false, 1000 + 6*20, 1000 + 6*20 + 70_000 + 1000},
		{true, 1000 + 6*20, 1000 + 6*20 + 70_000 + 1000 + 6*10},
	} {
		spec := paired(4)
		spec.OneCopy = copies.one
		// The network refuses messages of a host to itself.
		w := runWith(t, spec, slow(), func(r *mpi.Rank) {
			switch r.Rank() {
			case 2:
				r.Send(mpi.Data([]byte("fabric")), 3, 7)
				if r.Now() != copies.sent {
					t.Errorf("after send: %v, want %v", r.Now(), copies.sent)
				}
			case 3:
				buf := make([]byte, 6)
				s := r.Recv(mpi.Data(buf), mpi.AnySource, mpi.AnyTag)
				if r.Now() != copies.done || string(buf) != "fabric" ||
					(s != mpi.Status{Source: 2, Tag: 7, Size: 6}) {
					t.Errorf("after receive: %v, want %v: %q, %+v", r.Now(), copies.done, buf, s)
				}
			}
		})
		if w.Err() != nil || w.Finished() != 4 {
			t.Fatal(w.Err())
		}
		if r := w.Record(3); r.Host != 1 || r.MessagesReceived != 1 || r.BytesReceived != 6 ||
			w.Record(2).BytesSent != 6 {
			t.Errorf("record %+v", r)
		}
	}
}

// Ranks that share a NIC hand it their messages in the order of their times, whichever runs first.
func TestRanksOfAHostShareItsNIC(t *testing.T) {
	network := slow()
	var posts []int64
	network.Posted = postTimes(&posts)
	w := runWith(t, paired(4), network, func(r *mpi.Rank) {
		if r.Rank() > 1 {
			for range 3 {
				r.Recv(mpi.Size(8), r.Rank()-2, 0)
			}
			return
		}
		r.Compute(mpi.Duration(500 * (1 - r.Rank())))
		for range 3 {
			r.Send(mpi.Size(8), r.Rank()+2, 0)
		}
	})
	if w.Err() != nil || w.Finished() != 4 {
		t.Fatal(w.Err())
	}
	// A send waits for the NIC to read its 8 bytes, for 16 ps.
	want := []int64{1000, 1500, 2016, 2516, 3032, 3532}
	for i := range want {
		if len(posts) != len(want) || posts[i] != want[i] {
			t.Fatalf("messages left at %v, want %v", posts, want)
		}
	}
}

func TestDeadlockWithinAHostIsExplained(t *testing.T) {
	w := runWith(t, paired(4), &nodetest.Network{Latency: 1}, func(r *mpi.Rank) {
		r.Recv(mpi.Size(1), r.Rank()^1, 5)
	})
	err := w.Deadlock()
	if err == nil || !strings.Contains(err.Error(), "4 of 4 ranks") ||
		!strings.Contains(err.Error(), "cycle: rank 0 waits for rank 1, which waits for rank 0") {
		t.Error(err)
	}
}
