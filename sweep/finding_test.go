package sweep_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"fabricast/sweep"
)

// TestFindings checks findings about times known in closed form: a message of one packet over a
// given distance on an idle ring.
func TestFindings(t *testing.T) {
	const base = `
experiment:
  network: {topology: {dims: [8]}, link: {latency: 100ns}}
  workload: {program: pingpong, iterations: 1, size: 8B}
axes:
  - {field: node.overhead, values: [0ns, 500ns]}
  - {field: network.link.latency, name: cable, values: [100ns, 200ns, 400ns]}
findings:
  - {that: so it is, `
	f := func(finding string, want bool, checked int) {
		t.Helper()
		v, err := run(t, base+finding, sweep.Options{}).Judge()
		if err != nil {
			t.Fatalf("%s: %v", finding, err)
		}
		if v[0].Holds != want || v[0].Checked != checked {
			t.Errorf("%s: %+v, want %t of %d figures", finding, v[0], want, checked)
		}
	}
	f("value: latency_ps, rises: cable}", true, 4)
	f("value: latency_ps, falls: cable}", false, 4)
	f("value: latency_ps, falls: cable, slack: 1000000}", true, 4)
	f("value: latency_ps, rises: cable, where: overhead == 0}", true, 2)
	f("value: latency_ps, at_least: 3 * cable}", true, 6)
	f("value: latency_ps, at_most: 3 * cable}", false, 6)
	f("value: latency_ps, of: max, at_least: 1200000}", true, 1)
	f("value: latency_ps, of: min, at_least: 1200000}", false, 1)
	f(
		"value: latency_ps - 3 * cable, where: overhead == 0, of: max, is: latency_ps - 3 * cable, within: 0}",
		true,
		1,
	)
	f("value: latency_ps, where: cable > 1e9, at_least: 0}", false, 0)
	f("value: latency_ps, compare: {axis: overhead, of: 500000, with: 0}, is: 1, within: 1%}", false, 3)
	f("value: latency_ps, compare: {axis: overhead, of: 500000, with: 0}, at_least: 1}", true, 3)
	f("value: latency_ps, compare: {axis: overhead, of: 500ns, with: 0ns}, at_least: 1}", true, 3)
	f("value: latency_ps, full: true, where: cable < 0, at_least: 1}", false, 0)
}

// Findings consider only the points that did not fail, and may use axis values in any notation.
func TestFindingsWithoutFailedPoints(t *testing.T) {
	f, err := open(t, `
experiment:
  network: {topology: {kind: dragonfly, p: 1, a: 2, h: 1}}
  traffic: {load: 10%, measure: {longest: 20us}}
axes:
  - {field: network.router.vcs, values: [1, 2]}
  - {field: traffic.load, values: [10%, 20%]}
findings:
  - {that: all is accepted, where: stable, value: accepted, is: load, within: 10%}
  - {that: latency falls, value: latency_ps, falls: load}
  - {that: nothing is left of it, where: vcs == 1, value: accepted, at_least: 0}
`)
	if err != nil {
		t.Fatal(err)
	}
	table, err := f.Run(context.Background(), sweep.Options{})
	var points *sweep.PointsError
	if !errors.As(err, &points) || points.Failed != 2 || points.Points != 4 {
		t.Fatalf("got %v, want two failed points", err)
	}
	if failed := table.Failed(); len(failed) != 2 || !strings.HasPrefix(failed[1], "vcs=1 load=20%: ") ||
		!strings.Contains(failed[1], "expected at least 2") {
		t.Errorf("failed points: %q", failed)
	}
	v, err := table.Judge()
	if err != nil {
		t.Fatal(err)
	}
	if !v[0].Holds || v[0].Checked != 2 || v[1].Holds || v[1].Checked != 1 || v[2].Holds ||
		v[2].Checked != 0 {
		t.Errorf("verdicts %+v", v)
	}
	if !strings.Contains(v[1].Worst, "at vcs=2 load=20% after ") ||
		!strings.HasSuffix(v[1].Worst, " at load=10%") {
		t.Errorf("two notations: %s", v[1].Worst)
	}
}

// Cells show numbers exactly, and integers with all digits.
func TestCells(t *testing.T) {
	for v, want := range map[float64]string{
		879178: "879178", 23044828: "23044828", 0.1: "0.1", 1e-9: "1e-09", 4e12 + 1: "4000000000001", 1e21: "1e+21", 1234567.25: "1234567.25",
	} {
		if got := sweep.Cell(v, 0); got != want {
			t.Errorf("%v is written as %s, want %s", v, got, want)
		}
	}
}
