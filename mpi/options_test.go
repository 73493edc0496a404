package mpi_test

import (
	"strings"
	"testing"

	"fabricast/fabric"
	"fabricast/mpi"
	"fabricast/node"
)

// Options reach the NIC with their message and no other.
func TestOptionsAreOfOneMessage(t *testing.T) {
	type sent struct {
		nic int32
		gap uint32
	}
	var got []sent
	network := slow()
	network.Posted = func(m *fabric.Message, x *fabric.Extra) {
		s := sent{nic: m.Src % 4}
		if m.Dst%4 != s.nic {
			t.Errorf("NIC %d sends to NIC %d", s.nic, m.Dst%4)
		}
		if x != nil {
			s.gap = x.Gap
		}
		got = append(got, s)
	}
	spec := testSpec(2)
	spec.NICsPerHost = 4
	w := runWith(t, spec, network, func(r *mpi.Rank) {
		if r.Rank() == 1 {
			for range 6 {
				r.Recv(mpi.Size(8), 0, 0)
			}
			return
		}
		r.Send(mpi.Size(8), 1, 0)
		r.SendWith(mpi.Size(8), 1, 0, mpi.Options{Gap: 7})
		r.SendWith(mpi.Size(8), 1, 0, mpi.Options{NIC: 1})
		r.Wait(r.IsendWith(mpi.Size(8), 1, 0, mpi.Options{NIC: 4, Gap: 2}))
		r.SendWith(mpi.Size(8), 1, 0, mpi.Options{})
		r.Send(mpi.Size(8), 1, 0)
	})
	if w.Err() != nil || w.Finished() != 2 {
		t.Fatal(w.Err())
	}
	want := []sent{{0, 0}, {1, 7}, {0, 0}, {3, 2}, {2, 0}, {3, 0}}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("message %d: %+v, want %+v", i, got[i], want[i])
		}
	}
}

func TestWrongOptionsPanic(t *testing.T) {
	f := func(o mpi.Options, words string) {
		t.Helper()
		w := runWith(t, testSpec(2), slow(), func(r *mpi.Rank) { r.SendWith(mpi.Size(8), 1-r.Rank(), 0, o) })
		if w.Err() == nil || !strings.Contains(w.Err().Error(), words) {
			t.Error(w.Err())
		}
	}
	f(mpi.Options{NIC: -1}, "send by NIC option -1: expected 1 to 1")
	f(mpi.Options{NIC: 2}, "expected 1 to 1")
	f(
		mpi.Options{Protocol: 99},
		"send with protocol 99: expected node.Eager (1), RendezvousWrite, RendezvousRead or Synchronous (4), or 0",
	)
	f(mpi.Options{Copies: 99}, "send with copies 99: expected node.ZeroCopy (1) or OneCopy (2), or 0")
	for _, p := range []node.Protocol{node.RendezvousWrite, node.RendezvousRead, node.Synchronous} {
		f(
			mpi.Options{Protocol: p, Copies: node.OneCopy},
			"send with protocol "+p.String()+" and node.OneCopy: expected",
		)
	}
	f(mpi.Options{Gap: fabric.MaxGap + 1}, "a gap of 16777217 packet times")
}
