package inputqueued

import (
	"testing"

	"fabricast/internal/snapshot/fieldtest"
)

// TestStateIsWhole: every field of routers with input queues is saved, or need not be.
func TestInputqueuedStateIsWhole(t *testing.T) {
	fieldtest.Check(
		t,
		fieldtest.State{Of: PacketPool{}, Saved: "Packets spans Used swept free", Constant: "Own"},
		fieldtest.State{Of: VCs{}, Parts: "all More ports Pool fifoStreams streams", Constant: "Layout events classes count SweepEvery"},
		fieldtest.State{
			Of: OutputPorts{}, Saved: "Ports more", Constant: "events vcs numVCs flit classes share roundRobins",
			Passing: "asks",
		},
		fieldtest.State{Of: streams{}, Saved: "pages unevenPages used free live settledTo gain rest rests passed", Constant: "On least late uneven"},
		fieldtest.State{
			Of: Routers{}, Parts: "NICs VCs Ports streams portStreams observer",
			Constant: "flitTime roundRobins special Plain early credit streamable reported",
			Passing:  "Direct Bursts Loader activations requesters timers",
		},
	)
}
