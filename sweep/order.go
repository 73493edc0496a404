package sweep

import (
	"cmp"
	"slices"
)

// ordered returns the order in which points are started that are not refused. Balanced experiments, to which other
// points are compared, come first, so that no worker waits for the result of another one. Within
// each group the longest points come first, so that no worker is left alone with a long point at
// the end (R. L. Graham, Bounds on multiprocessing timing anomalies, SIAM Journal on Applied
// Mathematics 1969). Points of equal weight keep the order of the table.
func ordered(points []Point) []int {
	order := accepted(points)
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(
			measured(&points[a])-measured(&points[b]),
			cmp.Compare(points[b].Weight, points[a].Weight),
		)
	})
	return order
}

// measured returns 1 if the experiment of a point needs the predicted time of its balanced variant
// (see Experiment.Baseline) before it can run, otherwise 0.
func measured(p *Point) int {
	if p.Experiment.Baseline() == nil {
		return 0
	}
	return 1
}
