package fabric

import (
	"testing"

	"fabricast/internal/snapshot/fieldtest"
)

// TestStateIsWhole: every field of switched routers is saved, or need not be.
func TestSwitchedStateIsWhole(t *testing.T) {
	fieldtest.Check(
		t,
		fieldtest.State{
			Of:       general{},
			Parts:    "stages observer doors",
			Constant: "injectInTurn", Passing: "loader",
		},
		fieldtest.State{
			Of: doors{}, Saved: "riders works freeWork counts", Parts: "all senders receivers",
			Constant: "Doors b g", Passing: "raised start ejection departure flow passing taken",
		},
		fieldtest.State{Of: doorState{}, Saved: "ports senders receivers agents nics heads"},
		fieldtest.State{Of: flowTable{}, Saved: "keys values used", Constant: "words"},
	)
}
