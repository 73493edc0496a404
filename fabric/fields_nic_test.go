package fabric

import (
	"testing"

	"fabricast/internal/snapshot/fieldtest"
)

// TestStateIsWhole: every field of NICs is saved, or need not be.
func TestNicStateIsWhole(t *testing.T) {
	fieldtest.Check(
		t,
		fieldtest.State{
			Of: nicSenders{}, Saved: "nics", Parts: "turns",
			Constant: "layout messages events counters lanes endpoint prefetcher routers flitTime uneven",
		},
		fieldtest.State{Of: nicReceivers{}, Saved: "nics", Constant: "layout messages ahead counters"},
		fieldtest.State{Of: turns{}, Saved: "nics entries free", Constant: "control"},
		fieldtest.State{
			Of: ioBuses{}, Saved: "busState arrivals free", Constant: "layout routers events send receive giveBack",
		},
		fieldtest.State{Of: busState{}, Saved: "buses nics", Constant: "rate"},
		fieldtest.State{Of: nics{}, Parts: "base send receive bus"},
		fieldtest.State{Of: nicState{}, Saved: "nics receivers rotas buses"},
	)
}
