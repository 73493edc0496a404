package registry_test

import (
	"slices"
	"testing"

	"fabricast/internal/registry"
)

// TestAdd: lists are in the order of places, 0 is last, and no name or place is taken twice.
func TestAdd(t *testing.T) {
	var r registry.Of[string]
	for _, k := range []struct {
		place int
		name  string
	}{{20, "b"}, {10, "a"}, {0, "z"}, {0, "y"}, {15, "c"}} {
		r.Add(k.place, "the variant "+k.name, k.name, "also "+k.name)
	}
	if names := r.Names(); !slices.Equal(names, []string{"a", "c", "b", "z", "y"}) {
		t.Error(names)
	}
	if all := r.All(); len(all) != 5 || *all[1] != "the variant c" || r.First() != all[0] {
		t.Error(all)
	}
	if k := r.Find("also z"); k == nil || *k != "the variant z" || r.Find("z") != k {
		t.Error(k)
	}
	if k := r.Find("d"); k != nil {
		t.Error(*k)
	}
	f := func(place int, names ...string) {
		t.Helper()
		defer func() {
			if recover() == nil {
				t.Errorf("%d %s is taken", place, names)
			}
		}()
		r.Add(place, "", names[0], names[1:]...)
	}
	f(30, "b")
	f(30, "e", "also b")
	f(15, "d")
}
