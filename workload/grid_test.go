package workload

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestCompactGrids(t *testing.T) {
	f := func(n, dims int, want string) {
		t.Helper()
		if got := list(compact(n, dims)); got != want {
			t.Errorf("compact(%d, %d) = %s, want %s", n, dims, got, want)
		}
	}
	f(1, 2, "[1, 1]")
	f(12, 2, "[4, 3]")
	f(13, 2, "[13, 1]")
	f(64, 2, "[8, 8]")
	f(1, 3, "[1, 1, 1]")
	f(12, 3, "[3, 2, 2]")
	f(64, 3, "[4, 4, 4]")
	f(100, 3, "[5, 5, 4]")
	f(65536, 3, "[64, 32, 32]")
	f(524288, 3, "[128, 64, 64]")
}

// Each rank is the neighbour of its neighbours in the opposite direction.
func TestNeighboursAreMutual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		grid := rapid.SliceOfN(rapid.IntRange(1, 6), 2, 3).Draw(t, "grid")
		ranks := 1
		for _, n := range grid {
			ranks *= n
		}
		rank := rapid.IntRange(0, ranks-1).Draw(t, "rank")
		for i, other := range neighbours(nil, rank, grid) {
			back := neighbours(nil, int(other), grid)
			if to := int(other); to == rank || to < 0 || to >= ranks || int(back[i^1]) != rank {
				t.Fatalf("neighbour %d of %d is %d, whose neighbours are %v", i, rank, other, back)
			}
		}
	})
}

func TestNeighboursAreNextToEachOther(t *testing.T) {
	// Rank 5 of a grid of 4 x 3 ranks is at (1, 1).
	want := []int32{4, 6, 1, 9}
	if got := neighbours(nil, 5, []int{4, 3}); !slices.Equal(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
}
