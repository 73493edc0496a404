package networks

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"fabricast"
	"fabricast/experiment"
	"fabricast/mpi"
	"fabricast/node"
)

// protocolTimes runs a program in which rank 0 sends n bytes to rank 1, which has posted its receive
// before, and returns when the send and the receive were complete.
func protocolTimes(t *rapid.T, e fabricast.Experiment, n int, o mpi.Options) (sent, received fabricast.Time) {
	e.Program = func(r *mpi.Rank) {
		switch r.Rank() {
		case 0:
			r.SendWith(mpi.Size(n), 1, 0, o)
			sent = fabricast.Time(r.Now())
		case 1:
			r.Recv(mpi.Size(n), 0, 0)
			received = fabricast.Time(r.Now())
		}
	}
	if _, err := e.Run(context.Background(), fabricast.Workers(1)); err != nil {
		t.Fatal(err)
	}
	return sent, received
}

// TestProtocolsAtZeroLoad holds a rendezvous on an idle network to its closed form, to the
// picosecond: the way of the request, that of the clear, and that of the data, each as that of an
// eager message, which TestZeroLoad holds to its own.
func TestProtocolsAtZeroLoad(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawNetwork(t)
		o, n := e.Node.Overhead, rapid.IntRange(0, 3000).Draw(t, "size")
		straight := mpi.Options{Protocol: node.Eager, Copies: node.ZeroCopy}
		_, control := protocolTimes(t, e, 0, straight)
		fetched, data := protocolTimes(t, e, n, straight)
		control, data, fetched = control-2*o, data-2*o, fetched-o
		want := o + control + control + data + o

		sent, received := protocolTimes(t, e, n, mpi.Options{Protocol: node.RendezvousWrite})
		if received != want || sent != o+2*control+fetched {
			t.Errorf(
				"written: complete at %d and %d ps, want %d and %d",
				sent, received, o+2*control+fetched, want,
			)
		}
		sent, received = protocolTimes(t, e, n, mpi.Options{Protocol: node.RendezvousRead})
		if received != want || sent != want-o+control {
			t.Errorf("read: complete at %d and %d ps, want %d and %d", sent, received, want-o+control, want)
		}
		copied := fabricast.Time(int64(n) * int64(fabricast.Second) / int64(e.Node.Memory))
		sent, received = protocolTimes(t, e, n, mpi.Options{Protocol: node.Eager, Copies: node.OneCopy})
		if sent != o+copied || received != sent+data+o+copied {
			t.Errorf(
				"one-copy: complete at %d and %d ps, want %d and %d",
				sent, received, o+copied, o+copied+data+o+copied,
			)
		}
		// What an experiment says for all messages is what a message says for itself.
		e.Node.Protocol = experiment.Protocol{Rendezvous: experiment.RendezvousRead}
		if _, all := protocolTimes(t, e, n, mpi.Options{}); n > 0 && all != want {
			t.Errorf("by the experiment: complete at %d ps, want %d", all, want)
		}
	})
}
