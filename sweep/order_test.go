package sweep_test

import (
	"math"
	"slices"
	"testing"

	"fabricast/sweep"
)

// Balanced experiments that other points are compared to run first. Within both groups the longest
// points run first, regardless of their position in the table.
func TestLongestFirst(t *testing.T) {
	const text = `
experiment:
  network: {topology: {dims: [4]}}
  workload: {program: alltoall, algorithm: ring}
axes:
  - {field: workload.size, values: [100B, 400B, 200B]}
  - {name: f, field: imbalance.width, values: [2%, 0%]}
weight: size
`
	var begun []float64
	before := 0.0
	run(t, text, sweep.Options{Workers: 1, Progress: func(p sweep.Progress) {
		begun = append(begun, math.Round((p.Work-before)*1400)) // fraction of 2 * (100 + 400 + 200)
		before = p.Work
	}})
	if want := []float64{400, 200, 100, 400, 200, 100}; !slices.Equal(begun, want) {
		t.Errorf("points of the weights %v, one after the other, want %v", begun, want)
	}
}
