package nic

import (
	"testing"

	"fabricast/internal/snapshot/fieldtest"
)

// TestStateIsWhole: every field of NICs is saved, or need not be.
func TestNicStateIsWhole(t *testing.T) {
	fieldtest.Check(
		t,
		fieldtest.State{
			Of: Senders{}, Saved: "NICs lanes shares", Parts: "Turns",
			Constant: "Layout messages events counters vcs endpoint Prefetcher routers flitTime uneven divides counting hops sink block needs Bursts",
		},
		fieldtest.State{Of: Receivers{}, Saved: "NICs", Constant: "Layout messages ahead counters sink block hops shared Logs", Passing: "Via divided"},
		fieldtest.State{Of: turns{}, Saved: "nics entries", Constant: "free control list"},
		fieldtest.State{
			Of: IOBuses{}, Saved: "busState arrivals",
			Constant: "free list Layout routers events send receive giveBack",
		},
		fieldtest.State{Of: busState{}, Saved: "Buses Docks", Constant: "rate"},
		fieldtest.State{Of: NICs{}, Parts: "Base Send Receive Bus"},
		fieldtest.State{Of: State{}, Saved: "Senders Receivers rotas lanes lags Buses"},
	)
}
