package fabric

import (
	"testing"

	"fabricast/internal/snapshot/fieldtest"
)

// TestStateIsWhole: every field of a block is saved, or need not be.
func TestStateIsWhole(t *testing.T) {
	fieldtest.Check(
		t,
		fieldtest.State{
			Of: Block{}, Parts: "nics model fast general observer", Constant: "net publisher sink arena saver",
		},
		fieldtest.State{Of: saver{}, Constant: "of runs ghosts countGhosts"},
	)
}
