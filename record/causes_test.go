package record

import (
	"testing"

	"fabricast/internal/causes"
)

// TestRowsKeepAllPartsOfTheNetwork: what a row is given, it gives back.
func TestRowsKeepAllPartsOfTheNetwork(t *testing.T) {
	var want causes.Parts
	for p := causes.FirstOfNetwork; p <= causes.LastOfNetwork; p++ {
		want[p] = 1 << p
	}
	var row Division
	row.SetParts(&want)
	if got := row.Parts(); got != want {
		t.Errorf("parts %d, want %d", got, want)
	}
}
