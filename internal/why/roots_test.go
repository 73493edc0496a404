package why

import "testing"

// TestRootWords: traffic has no ranks, so it never counts as another rank; a link that is down has no
// messages.
func TestRootWords(t *testing.T) {
	for want, r := range map[string]Root{
		"with messages of traffic":                      {Rank: -1},
		"with messages of traffic and 1 rank":           {Rank: -1, All: 1},
		"with messages of traffic and 2 ranks":          {Rank: -1, All: 2},
		"with messages of rank 3":                       {Rank: 3, All: 1},
		"with messages of rank 3 and 1 other rank":      {Rank: 3, All: 2},
		"with messages of rank 3 and 1,999 other ranks": {Rank: 3, All: 2000},
		"down because of a fault":                       {Rank: linkDown},
	} {
		if got := r.words(); got != want {
			t.Errorf("found %q, expected %q", got, want)
		}
	}
}
