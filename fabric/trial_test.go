package fabric

import (
	"testing"

	"pgregory.net/rapid"
)

// TestTrialKeepsTheQuickerWay lets trials go on for a while with two ways that take so long for
// each visit, and now and then an interruption.
func TestTrialKeepsTheQuickerWay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var x trial
		const visits = 100
		ns := [2]int64{rapid.Int64Range(1, 1e6).Draw(t, "first"), rapid.Int64Range(1, 1e6).Draw(t, "second")}
		interrupted := rapid.IntRange(0, 999).Draw(t, "interrupted")
		quicker := ns[1] < ns[0]
		const windows = 200_000
		wrong := 0
		for window := range windows {
			kept := x.kept > 0
			x.kept -= visits
			if x.second != quicker {
				if kept {
					t.Fatalf("of %v ns the second is kept: %t", ns, x.second)
				}
				wrong++
			}
			if !kept {
				way := 0
				if x.second {
					way = 1
				}
				took := ns[way] * visits
				if window%1000 == interrupted {
					took += 1e9
				}
				x.took(took, visits)
			}
		}
		if ns[0] != ns[1] && wrong > windows/20 {
			t.Fatalf("the slower of %v was taken in %d of %d windows", ns, wrong, windows)
		}
	})
}
