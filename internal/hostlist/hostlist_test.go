package hostlist_test

import (
	"slices"
	"testing"

	"fabricast/internal/hostlist"
)

func TestAll(t *testing.T) {
	f := func(list string, want ...string) {
		t.Helper()
		if got, wrong, right := hostlist.All(list); !right || !slices.Equal(got, want) {
			t.Errorf("%s: %q, wrong %q", list, got, wrong)
		}
	}
	f("a", "a")
	f("login,n[08-10,3]x", "login", "n08x", "n09x", "n10x", "n3x")
	f("r[1-2]n[1-2]", "r1n1", "r1n2", "r2n1", "r2n2")
	for list, want := range map[string]string{
		"": "", "a,": "a,", "a,,b": "a,,b", "a,n[1": "n[1", "n[2-1],b": "n[2-1]", "n[x]": "n[x]", "n1]": "n1]", "n[]": "n[]",
		"n[1-]": "n[1-]", "n[-1]": "n[-1]", "n[1-9999999999]": "n[1-9999999999]",
	} {
		if got, wrong, right := hostlist.All(list); right || got != nil || wrong != want {
			t.Errorf("%q is read as %q, wrong %q", list, got, wrong)
		}
	}
}
