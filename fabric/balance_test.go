package fabric

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestCutEqually: each run of cells gets one at least, and no border could be one cell further and
// leave the runs before it nearer to their share, unless runs would be empty.
func TestCutEqually(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		work := rapid.SliceOfN(rapid.Uint64Range(0, 1000), 1, 60).Draw(t, "work")
		runs := rapid.IntRange(1, len(work)).Draw(t, "runs")
		cuts := cutEqually(work, runs)
		if len(cuts) != runs+1 || cuts[0] != 0 || cuts[runs] != len(work) {
			t.Fatal(cuts)
		}
		var total, most uint64
		for _, w := range work {
			total += w
		}
		most = slices.Max(work)
		for i := 1; i <= runs; i++ {
			if cuts[i] <= cuts[i-1] {
				t.Fatal(cuts)
			}
		}
		for i := 1; i < runs; i++ {
			var before uint64
			for _, w := range work[:cuts[i]] {
				before += w
			}
			share := total / uint64(runs) * uint64(i)
			if before > share+most && cuts[i] > cuts[i-1]+1 || before+most < share && cuts[i] < len(work)-(runs-i) {
				t.Fatalf("%v: %d before border %d, expected %d", cuts, before, i, share)
			}
		}
	})
}

// TestUneven: a tenth of the mean is the limit.
func TestUneven(t *testing.T) {
	for _, c := range []struct {
		work []uint64
		want bool
	}{
		{[]uint64{0, 0}, false},
		{[]uint64{100, 100}, false},
		{[]uint64{105, 95}, false},
		{[]uint64{106, 95}, true},
		{[]uint64{100, 100, 89}, true},
		{[]uint64{0, 1}, true},
	} {
		if got := uneven(c.work); got != c.want {
			t.Errorf("%v: %v", c.work, got)
		}
	}
}
