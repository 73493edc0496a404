package sweep

import (
	"cmp"
	"fmt"
	"slices"

	"fabricast"
	"fabricast/internal/config"
)

// trial is a load that was tried, with its experiment and result.
type trial struct {
	load       fabricast.Fraction
	experiment *fabricast.Experiment
	result     *fabricast.Result
}

// Table returns the table of a sweep over the loads that were tried, in ascending order.
func (s *Saturation) Table(title string) (*Table, error) {
	const field = "traffic.load"
	trials := slices.Clone(s.trials)
	slices.SortFunc(trials, func(a, b trial) int { return cmp.Compare(a.load, b.load) })
	axis := Axis{Name: "load", Field: field}
	var points []Point
	for _, x := range trials {
		axis.Values = append(axis.Values, &config.Node{Kind: config.Scalar, Text: x.load.String()})
		points = append(points, Point{Experiment: x.experiment, Weight: 1})
	}
	for i, v := range axis.values() {
		points[i].Values = []Value{v}
	}
	f := &File{Title: title, Axes: []Axis{axis}}
	t, err := f.newTable(points, Options{})
	if err != nil {
		return nil, err
	}
	for i := range trials {
		t.Rows[i].Result = trials[i].result
	}
	return t, t.fill()
}

// Conclusion describes in words the load at which the network saturates.
func (s *Saturation) Conclusion() string {
	switch {
	case s.Saturated == 0:
		return fmt.Sprintf("not saturated up to a load of %s", s.Stable)
	case s.Stable == 0:
		return fmt.Sprintf("saturated from the lowest load on, %s", s.Saturated)
	}
	return fmt.Sprintf(
		"saturation between %s and %s; throughput at the highest load %s, of the least host %s",
		s.Stable, s.Saturated, Cell(s.Throughput, 4), Cell(s.Least, 4),
	)
}

// Verdict returns the conclusion as a finding, for reports.
func (s *Saturation) Verdict() Verdict {
	return Verdict{That: s.Conclusion() + " (" + s.Criterion + ")", Holds: true, Checked: len(s.Steps)}
}
