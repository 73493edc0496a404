package workload

import (
	"testing"

	"pgregory.net/rapid"
)

// TestShells checks that the cells above and below a cell are its 26 neighbours, each once if every
// dimension has at least three cells. If cell b is entry i above cell a, a must be entry i below b.
func TestShells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		grid := rapid.SliceOfN(rapid.IntRange(1, 5), 3, 3).Draw(t, "grid")
		ranks := grid[0] * grid[1] * grid[2]
		rank := rapid.IntRange(0, ranks-1).Draw(t, "rank")
		above, below := shells(rank, grid)
		around := 1
		distinct := 1
		for _, n := range grid {
			around *= 1 + 2*min(1, n-1)
			distinct *= min(3, n)
		}
		if above.count != below.count || 2*above.count != around-1 {
			t.Fatalf("%d above and %d below, want %d in all", above.count, below.count, around-1)
		}
		met := map[int32]bool{}
		for i := range above.count {
			_, back := shells(int(above.ranks[i]), grid)
			if int(back.ranks[i]) != rank {
				t.Errorf("rank %d is %d above %d, which is not below it", above.ranks[i], i, rank)
			}
			met[above.ranks[i]], met[below.ranks[i]] = true, true
		}
		met[int32(rank)] = true
		if len(met) != distinct {
			t.Errorf("%d cells around and the cell, want %d", len(met), distinct)
		}
	})
}

// TestLeanMDSendsPositionsAndForces checks the number of messages, one of positions and one of
// forces per step and pair of neighbours, and the computation time.
func TestLeanMDSendsPositionsAndForces(t *testing.T) {
	f := func(grid []int, messages int64) {
		t.Helper()
		ranks := grid[0] * grid[1] * grid[2]
		p := Params{Size: 888, Iterations: 3, Compute: 777, Grid: grid}
		w := mustRun(t, "leanmd", p, ranks)
		if s := w.Stats(); s.Messages != messages*int64(ranks*3) || int64(s.Bytes) != 888*s.Messages ||
			s.Unmet > 0 {
			t.Errorf(
				"%v: %d messages of %d bytes, want %d of each rank in each step",
				grid, s.Messages, int64(s.Bytes), messages,
			)
		}
		if got := int64(w.Record(0).Compute); got != 3*777 {
			t.Errorf("%d ps of computation", got)
		}
	}
	f([]int{4, 3, 3}, 26)
	f([]int{3, 2, 4}, 26)
	f([]int{5, 4, 1}, 8)
	f([]int{1, 6, 1}, 2)
	f([]int{1, 1, 1}, 0)
}
