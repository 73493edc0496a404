package fabric

import (
	"testing"

	"fabricast/internal/snapshot/fieldtest"
)

// TestStateIsWhole: every field of routers with input queues is saved, or need not be.
func TestInputqueuedStateIsWhole(t *testing.T) {
	fieldtest.Check(
		t,
		fieldtest.State{Of: packetPool{}, Saved: "packets spans used swept free", Constant: "own"},
		fieldtest.State{Of: vcLanes{}, Parts: "all more ports pool", Constant: "layout events classes count sweepEvery"},
		fieldtest.State{
			Of: outputPorts{}, Saved: "ports more", Constant: "events lanes vcs flit classes share roundRobins",
			Passing: "asks",
		},
		fieldtest.State{
			Of: fast{}, Parts: "nics lanes ports observer",
			Constant: "flitTime roundRobins special plain early credit reported",
			Passing:  "direct streams loader activations contenders",
		},
	)
}
