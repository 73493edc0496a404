package topology_test

import (
	"testing"

	"pgregory.net/rapid"

	"fabricast/topology"
)

// TestParts compares the parts of random links with those of a list that is changed whole for each link.
func TestParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "routers")
		router := rapid.Int32Range(0, int32(n-1))
		parts, lowest := topology.NewParts(n), make([]int32, n)
		for r := range lowest {
			lowest[r] = int32(r)
		}
		for range rapid.IntRange(0, 60).Draw(t, "links") {
			a, b := router.Draw(t, "a"), router.Draw(t, "b")
			from, to := max(lowest[a], lowest[b]), min(lowest[a], lowest[b])
			if joined := parts.Join(a, b); joined != (from != to) {
				t.Fatalf("%d and %d: joined %t", a, b, joined)
			}
			for r := range lowest {
				if lowest[r] == from {
					lowest[r] = to
				}
			}
		}
		for r, want := range lowest {
			if got := parts.Of(int32(r)); got != want {
				t.Fatalf("router %d is in part %d, want %d", r, got, want)
			}
		}
	})
}
