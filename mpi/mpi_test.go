package mpi_test

import (
	"testing"

	"fabricast/mpi"
	"fabricast/node"
	"fabricast/node/nodetest"
)

// testSpec is a node with costs that are easy to tell apart: 1000 ps for each
// call, 10 ps for each byte copied.
func testSpec(ranks int) node.Spec {
	s := node.Spec{Hosts: ranks, NICsPerHost: 1, Overhead: 1000, Memory: 1e11, HostOf: make([]int32, ranks)}
	for i := range s.HostOf {
		s.HostOf[i] = int32(i)
	}
	return s
}

// run runs a program on a network with 100 ns latency and 1 ps a byte.
func run(t *testing.T, ranks int, main func(*mpi.Rank)) *node.World {
	t.Helper()
	w := runWith(t, testSpec(ranks), &nodetest.Network{Latency: 100_000, ByteTime: 1}, main)
	if err := w.Err(); err != nil {
		t.Fatal(err)
	}
	if n := w.Finished(); n != ranks {
		t.Fatalf("%d of %d ranks finished", n, ranks)
	}
	return w
}

func runWith(t testing.TB, spec node.Spec, n *nodetest.Network, main func(*mpi.Rank)) *node.World {
	t.Helper()
	w, err := node.NewWorld(spec, mpi.Programs(main))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	n.Run(w, spec.Hosts, spec.NICsPerHost)
	return w
}

func TestSendAndReceiveTakeTheirTime(t *testing.T) {
	run(t, 2, func(r *mpi.Rank) {
		if r.Rank() == 0 {
			r.Compute(5 * mpi.Nanosecond)
			r.Send(mpi.Data([]byte("fabric")), 1, 7)
			if r.Now() != 6000 {
				t.Errorf("after send: %v", r.Now())
			}
			return
		}
		buf := make([]byte, 10)
		s := r.Recv(mpi.Data(buf), mpi.AnySource, mpi.AnyTag)
		if want := mpi.Duration(5000 + 1000 + 100_000 + 6 + 1000); r.Now() != want {
			t.Errorf("after receive: %v, want %v", r.Now(), want)
		}
		if (s != mpi.Status{Source: 0, Tag: 7, Size: 6}) || string(buf[:6]) != "fabric" {
			t.Errorf("received %q, %+v", buf, s)
		}
	})
}

func TestSplitByParity(t *testing.T) {
	run(t, 13, func(r *mpi.Rank) {
		c := r.Split(r.Rank()%2, -r.Rank())
		got := make([]byte, 1)
		next, previous := (c.Rank()+1)%c.Size(), (c.Rank()+c.Size()-1)%c.Size()
		s := c.Sendrecv(mpi.Data([]byte{byte(r.Rank())}), next, 0, mpi.Data(got), previous, 0)
		if s.Source != previous || int(got[0])%2 != r.Rank()%2 {
			t.Errorf("rank %d heard from %d: %d", r.Rank(), s.Source, got[0])
		}
		if d := c.Dup(); d.Rank() != c.Rank() || d.Size() != c.Size() {
			t.Errorf("dup: rank %d of %d", d.Rank(), d.Size())
		}
		if r.Split(mpi.Undefined, 0) != nil {
			t.Error("undefined color gave a communicator")
		}
	})
}
