package sweep_test

import (
	"testing"

	"fabricast/sweep"
)

// TestFindings judges findings about times that are known in closed form: a
// message of one packet on an idle ring, over a distance.
func TestFindings(t *testing.T) {
	const base = `
experiment:
  network: {topology: {dims: [8]}, link: {latency: 100ns}}
  workload: {program: pingpong, iterations: 1, size: 8B}
axes:
  - {field: node.overhead, values: [0ns, 500ns]}
  - {field: network.link.latency, name: cable, values: [100ns, 200ns, 400ns]}
findings:
  - `
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
	f("{value: latency_ps, rises: cable}", true, 4)
	f("{value: latency_ps, falls: cable}", false, 4)
	f("{value: latency_ps, falls: cable, slack: 1000000}", true, 4)
	f("{value: latency_ps, rises: cable, where: overhead == 0}", true, 2)
	f("{value: latency_ps, at_least: 3 * cable}", true, 6)
	f("{value: latency_ps, at_most: 3 * cable}", false, 6)
	f("{value: latency_ps, of: max, at_least: 1200000}", true, 1)
	f("{value: latency_ps, of: min, at_least: 1200000}", false, 1)
	f("{value: latency_ps - 3 * cable, where: overhead == 0, of: max, is: latency_ps - 3 * cable, within: 0}", true, 1)
	f("{value: latency_ps, where: cable > 1e9, at_least: 0}", false, 0)
	f("{value: latency_ps, compare: {axis: overhead, of: 500000, with: 0}, is: 1, within: 1%}", false, 3)
	f("{value: latency_ps, compare: {axis: overhead, of: 500000, with: 0}, at_least: 1}", true, 3)
	f("{value: latency_ps, full: true, compare: {axis: overhead, of: 1, with: 0}, at_least: 1}", false, 0)
}
