package switched

import (
	"testing"

	"fabricast/internal/snapshot/fieldtest"
)

// TestStateIsWhole: every field of switched routers is saved, or need not be.
func TestSwitchedStateIsWhole(t *testing.T) {
	fieldtest.Check(
		t,
		fieldtest.State{
			Of:       Routers{},
			Parts:    "Stages Observer Doors",
			Constant: "injectInTurn", Passing: "Loader",
		},
		fieldtest.State{
			Of: Doors{}, Saved: "riders works freeWork Counts", Parts: "all senders receivers",
			Constant: "Doors b g outages downs renewed settled", Passing: "raised start ejection departure flow passing taken",
		},
		fieldtest.State{Of: DoorState{}, Saved: "ports senders receivers agents NICs heads lost"},
		fieldtest.State{Of: flowTable{}, Saved: "keys values used", Constant: "words"},
	)
}
