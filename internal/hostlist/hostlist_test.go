package hostlist_test

import (
	"slices"
	"testing"

	"fabricast/internal/hostlist"
)

func TestAll(t *testing.T) {
	f := func(list string, want ...string) {
		t.Helper()
		if got, wrong := hostlist.All(list); wrong != "" || !slices.Equal(got, want) {
			t.Errorf("%s: %q, wrong %q", list, got, wrong)
		}
	}
	f("a", "a")
	f("login,n[08-10,3]x", "login", "n08x", "n09x", "n10x", "n3x")
	f("r[1-2]n[1-2]", "r1n1", "r1n2", "r2n1", "r2n2")
	for _, list := range []string{"", "a,", "n[1", "n[2-1]", "n[x]", "n1]", "n[1-9999999999]"} {
		if got, wrong := hostlist.All(list); got != nil || wrong == "" && list != "" && list != "a," {
			t.Errorf("%q is read as %q", list, got)
		}
	}
}
