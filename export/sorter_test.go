package export

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestSorter: lines come in the order of their times, then in that in which they were added,
// however few fit into memory.
func TestSorter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		times := rapid.SliceOfN(rapid.Int64Range(-2, 20), 0, 60).Draw(t, "times")
		s := newSorter(rapid.IntRange(1, 80).Draw(t, "most"))
		defer s.close()
		order := make([]int, len(times))
		for i, at := range times {
			order[i] = i
			s.add(at, func(to []byte) []byte { return fmt.Appendf(to, "line %d", i) })
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(times[a], times[b]) })
		var want, got bytes.Buffer
		for _, i := range order {
			fmt.Fprintf(&want, "line %d\n", i)
		}
		if err := s.write(bufio.NewWriter(&got)); err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() {
			t.Fatalf("got %q, want %q", got.String(), want.String())
		}
	})
}
