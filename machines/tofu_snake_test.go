package machines

import "testing"

// TestTofuSnake: jobs with rings longer than a folded axis get layouts of the axes that there are;
// others, and those that do not fit, are folded as before.
func TestTofuSnake(t *testing.T) {
	for _, c := range []struct {
		shape             []int
		topology, mapping string
	}{
		{
			[]int{32, 256},
			"{kind: torus, dims: [16, 8, 8, 2, 2, 2], wrap: [false, false, false, false, false, false]}",
			"{order: folded, axes: [0, 3, 1, 5, 2, 4], rings: [2, 4]}",
		},
		{
			[]int{64, 64},
			"{kind: torus, dims: [16, 16, 2, 2, 2, 2], wrap: [false, false, false, false, false, false]}",
			"{order: folded, axes: [0, 3, 4, 1, 5, 2], rings: [3, 3]}",
		},
		{
			[]int{64},
			"{kind: torus, dims: [1, 4, 4, 1, 2, 2], wrap: [false, false, false, false, false, false]}",
			"{order: folded, axes: [1, 5, 2, 4, 0, 3], rings: [4, 2]}",
		},
		{
			[]int{48, 4},
			"{kind: torus, dims: [24, 2, 2, 2], wrap: [false, false, false, false]}",
			"{order: folded, axes: [0, 2, 1, 3]}",
		},
		{
			[]int{62, 4},
			"{kind: torus, dims: [31, 2, 2, 2], wrap: [false, false, false, false]}",
			"{order: folded, axes: [0, 2, 1, 3]}",
		},
	} {
		if got := tofu(c.shape); got != c.topology {
			t.Errorf("%v: %s, want %s", c.shape, got, c.topology)
		}
		if got := tofuMapping(c.shape); got != c.mapping {
			t.Errorf("%v: %s, want %s", c.shape, got, c.mapping)
		}
	}
}
