package findings_test

import (
	"reflect"
	"testing"

	"fabricast/cmpi/internal/findings"
	"fabricast/cmpi/internal/host"
)

// TestOrderDoesNotMatter demands the same of two processes whichever is added to the other.
func TestOrderDoesNotMatter(t *testing.T) {
	one := findings.Findings{
		Exits:   findings.Exits{Rank: 7, Code: 3, Count: 2},
		Pending: findings.Leaks{Requests: 4, Of: findings.Group{Ranks: 2, First: 1}},
	}
	other := findings.Findings{
		Exits:      findings.Exits{Rank: 2, Code: 9, Count: 1},
		Pending:    findings.Leaks{Requests: 1, Of: findings.Group{Ranks: 1, First: 5}},
		Unfinished: findings.Group{Ranks: 3, First: 4},
	}
	want := findings.Findings{
		Exits:      findings.Exits{Rank: 2, Code: 9, Count: 3},
		Pending:    findings.Leaks{Requests: 5, Of: findings.Group{Ranks: 3, First: 1}},
		Unfinished: findings.Group{Ranks: 3, First: 4},
	}
	for _, both := range [][2]findings.Findings{{one, other}, {other, one}} {
		var all findings.Findings
		all.Add(&both[0])
		all.Add(&both[1])
		if !reflect.DeepEqual(all, want) {
			t.Errorf("found %+v, expected %+v", all, want)
		}
	}
}

// TestJoined demands one mismatch for each place, with the lowest rank.
func TestJoined(t *testing.T) {
	at := func(key string, rank int, times int64) host.Mismatch {
		return host.Mismatch{Key: key, Rank: rank, Times: times}
	}
	got := findings.Joined([]host.Mismatch{at("a", 5, 2), at("b", 1, 1), at("a", 3, 4), at("a", 9, 1)})
	if want := []host.Mismatch{at("a", 3, 7), at("b", 1, 1)}; !reflect.DeepEqual(got, want) {
		t.Errorf("found %+v, expected %+v", got, want)
	}
}
