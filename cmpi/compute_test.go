//go:build cgo && linux && amd64

package cmpi_test

import (
	"slices"
	"strings"
	"testing"

	"fabricast"
	"fabricast/cmpi"
)

// runWith is run with options.
func runWith(
	t *testing.T,
	e *fabricast.Experiment,
	program string,
	o cmpi.Options,
	args ...string,
) ([]string, *fabricast.Result, error) {
	t.Helper()
	return runOf(t, e, program, o, []fabricast.Option{fabricast.Workers(1)}, args...)
}

func ends(n int) []string { return slices.Repeat([]string{"end"}, n) }

// TestSampledLoops demands exact times where computation is stated, however it is measured
// elsewhere.
func TestSampledLoops(t *testing.T) {
	program := compile(t, "testdata/compute/sampled.c")
	lines, result, err := run(t, torus(4), program, 2)
	if err != nil || !slices.Equal(lines, ends(4)) {
		t.Fatalf("%v\n%s", err, strings.Join(lines, "\n"))
	}
	if result.Messages != 2*4*2 || result.Compute != nil {
		t.Errorf(
			"found %d messages and computation %v, expected those of two allreduces of 4 ranks",
			result.Messages, result.Compute,
		)
	}
}

// TestMeasuredComputation demands that host time counts where it should, and that results say so.
func TestMeasuredComputation(t *testing.T) {
	program := compile(t, "testdata/compute/measured.c")
	for _, test := range []struct {
		mode cmpi.Compute
		args []string
		want string
	}{
		{cmpi.ComputeNone, nil, "0"},
		{cmpi.ComputeNone, []string{"sample"}, "0"},
		{cmpi.ComputeMeasured, nil, "1"},
		{cmpi.ComputeMeasured, []string{"sample"}, "1"},
		{cmpi.ComputeSampled, nil, "0"},
		{cmpi.ComputeSampled, []string{"sample"}, "1"},
	} {
		e := torus(1)
		e.Compute.Mode = string(test.mode)
		lines, result, err := runWith(t, e, program, cmpi.Options{Compute: test.mode}, test.args...)
		if err != nil || !slices.Equal(lines, []string{test.want}) {
			t.Errorf("%q %v: found %v, %v, expected %s", test.mode, test.args, lines, err, test.want)
		} else if (result.Compute != nil) != (test.mode != cmpi.ComputeNone) {
			t.Errorf("%q: result says %v of computation", test.mode, result.Compute)
		}
	}
	_, once, err := runWith(t, torus(1), program, cmpi.Options{Compute: cmpi.ComputeMeasured, Factor: 1})
	_, often, err2 := runWith(t, torus(1), program, cmpi.Options{Compute: cmpi.ComputeMeasured, Factor: 1e5})
	if err != nil || err2 != nil || often.SimulatedTime < once.SimulatedTime {
		t.Errorf("found %v, and with a factor of 100000 %v", once, often)
	}
}

// TestSharedMemory runs ranks of 4 GiB each that there is but once.
func TestSharedMemory(t *testing.T) {
	program := compile(t, "testdata/compute/shared.c")
	lines, _, err := run(t, torus(64), program, 2)
	if err != nil || !slices.Equal(lines, ends(64)) {
		t.Errorf("%v\n%s", err, strings.Join(lines, "\n"))
	}
	if _, _, err := run(t, torus(2), program, 1, "unequal"); err == nil ||
		!strings.Contains(err.Error(), `bytes for "unequal", expected 10`) {
		t.Errorf("found %v, expected that another size is refused", err)
	}
}
