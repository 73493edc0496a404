package fabric

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestBordersLeaveWhatStays: a border between processes never passes a cell that has to stay, and comes
// as near to where it is wanted as that allows.
func TestBordersLeaveWhatStays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stays := rapid.SliceOfN(rapid.Uint64Range(0, 1), 1, 12).Draw(t, "stays")
		now := rapid.IntRange(0, len(stays)).Draw(t, "now")
		wanted := rapid.IntRange(0, len(stays)).Draw(t, "wanted")
		got := clampBorder(stays, now, wanted)
		passes := func(border int) bool {
			return slices.Contains(stays[min(now, border):max(now, border)], 1)
		}
		if passes(got) || got < min(now, wanted) || got > max(now, wanted) {
			t.Fatalf("from %d to %d, wanted %d, past %v", now, got, wanted, stays)
		}
		if next := got + sign(wanted-now); got != wanted && !passes(next) {
			t.Fatalf("from %d to %d, but %d is nearer to %d: %v", now, got, next, wanted, stays)
		}
	})
}

func sign(x int) int {
	switch {
	case x < 0:
		return -1
	case x > 0:
		return 1
	}
	return 0
}
