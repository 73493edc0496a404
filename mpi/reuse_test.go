package mpi_test

import (
	"testing"

	"fabricast/mpi"
	"fabricast/node/nodetest"
)

// A buffer may be used again as soon as its send has returned, even if that took no wait.
func TestBuffersAreReadBySendsThatReturn(t *testing.T) {
	spec := testSpec(2)
	spec.OneCopy = true
	w := runWith(t, spec, &nodetest.Network{Latency: 100_000, ByteTime: 1}, func(r *mpi.Rank) {
		b := []byte{1}
		if r.Rank() == 1 {
			r.Recv(mpi.Data(b), 0, 0)
			expect(t, "message to another rank", b[0], 10)
			return
		}
		b[0] = 10
		r.Send(mpi.Data(b), 1, 0)
		b[0] = 20
		r.Send(mpi.Data(b), 0, 0)
		b[0] = 30
		r.Recv(mpi.Data(b), 0, 0)
		expect(t, "message to the rank itself", b[0], 20)
	})
	if err := w.Err(); err != nil {
		t.Fatal(err)
	}
}

func expect(t *testing.T, what string, got, want byte) {
	if got != want {
		t.Errorf("%s: got %d, want %d", what, got, want)
	}
}
