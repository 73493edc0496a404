package sweep

import (
	"cmp"
	"slices"
)

// ordered returns the order in which points are started. Points that others are compared with
// (balanced experiments) come first, so that no worker waits for another one's result. Within each
// group the longest come first, so that no worker is left alone with a long one at the end (R. L.
// Graham, Bounds on multiprocessing timing anomalies, SIAM Journal on Applied Mathematics 1969).
// Equal points keep the order of the table.
func ordered(points []Point) []int {
	order := make([]int, len(points))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(
			measured(&points[a])-measured(&points[b]),
			cmp.Compare(points[b].Weight, points[a].Weight),
		)
	})
	return order
}

// measured returns 1 if the experiment of a point needs the predicted time of its balanced variant
// (see Experiment.Baseline) before it can run, else 0.
func measured(p *Point) int {
	if p.Experiment.Baseline() == nil {
		return 0
	}
	return 1
}
