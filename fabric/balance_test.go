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

// TestExcess: work within a twentieth of the mean never adds up; what a block has more adds up as
// long as it lasts; what goes to and fro stays as small as it is once.
func TestExcess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		blocks, mean := rapid.IntRange(2, 9).Draw(t, "blocks"), rapid.Uint64Range(1000, 1<<40).Draw(t, "mean")
		even, busy, swaying := make(excess, blocks), make(excess, blocks), make(excess, blocks)
		more := rapid.Uint64Range(mean/10, mean/2).Draw(t, "more")
		for look := range rapid.Uint64Range(1, 50).Draw(t, "looks") {
			work := slices.Repeat([]uint64{mean}, blocks)
			shift := rapid.Uint64Range(0, mean/25).Draw(t, "shift")
			i := rapid.IntRange(0, blocks-2).Draw(t, "block")
			work[i], work[i+1] = mean+shift, mean-shift
			if most := even.add(work); most != 0 {
				t.Fatalf("%v has excess %d", work, most)
			}
			work = slices.Repeat([]uint64{mean}, blocks)
			work[0], work[1] = mean+more, mean-more
			if most, want := busy.add(work), (look+1)*(more-mean/allowance); most != want {
				t.Fatalf("look %d: excess %d of %v, expected %d", look, most, work, want)
			}
			if look%2 == 1 {
				work[0], work[1] = work[1], work[0]
			}
			if most := swaying.add(work); most > more {
				t.Fatalf("look %d: excess %d of %v", look, most, work)
			}
		}
	})
}
