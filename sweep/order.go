package sweep

import (
	"cmp"
	"slices"
)

// ordered is the order in which points are begun. Those that others may be measured against come first: then no
// worker waits for another one's. Within both groups the longest come first, so that in the end no worker is left alone with a
// long one (R. L. Graham, Bounds on multiprocessing timing anomalies, SIAM Journal on Applied Mathematics 1969); of equals the first
// in the table.
func ordered(points []Point) []int {
	order := make([]int, len(points))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(measured(&points[a])-measured(&points[b]), cmp.Compare(points[b].Weight, points[a].Weight))
	})
	return order
}

// measured is 1 if a point is measured against a balanced experiment.
func measured(p *Point) int {
	if p.Experiment.Baseline() == nil {
		return 0
	}
	return 1
}
