package why

import "testing"

// TestRootWords: traffic has no ranks, so it never counts as another rank.
func TestRootWords(t *testing.T) {
	for want, r := range map[string]Root{
		"traffic":                      {Rank: -1},
		"traffic and 1 rank":           {Rank: -1, All: 1},
		"traffic and 2 ranks":          {Rank: -1, All: 2},
		"rank 3":                       {Rank: 3, All: 1},
		"rank 3 and 1 other rank":      {Rank: 3, All: 2},
		"rank 3 and 1,999 other ranks": {Rank: 3, All: 2000},
	} {
		if got := r.words(); got != want {
			t.Errorf("found %q, expected %q", got, want)
		}
	}
}
