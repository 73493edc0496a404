package innetwork_test

import (
	"math"
	"testing"

	"fabricast"
)

// TestSHARP compares an allreduce of ranks and of switches on 128 hosts of EDR with published times
// (Graham et al., COM-HPC 2016).
func TestSHARP(t *testing.T) {
	for _, c := range []struct {
		size, algorithm string
		want            float64 // us
	}{
		{"8B", "recursive-doubling", 6.01},
		{"8B", "in-network", 2.83},
		{"4KiB", "recursive-doubling", 46.93},
		{"4KiB", "in-network", 14.48},
	} {
		e, err := fabricast.Load(
			"../../examples/in-network/sharp.yaml", "workload.size="+c.size, "workload.algorithm="+c.algorithm,
		)
		if err != nil {
			t.Fatal(err)
		}
		r, err := e.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got := float64(r.SimulatedTime) / 1e6
		t.Logf("%s %s: %.2f us, published %.2f; %d ps, %s", c.size, c.algorithm, got, c.want, r.SimulatedTime, r.Hash)
		if math.Abs(got/c.want-1) > 0.15 {
			t.Errorf("%s by %s takes %.2f us, published are %.2f", c.size, c.algorithm, got, c.want)
		}
	}
}

// TestNVLS holds what docs/validation/nccl.md says of a node of 8 H100: at the rate of its links an
// allreduce of n bytes takes the time of n bytes on one link, and less than measured; with a fitted rate of the
// switches 256 MiB take 8 % less.
func TestNVLS(t *testing.T) {
	for _, c := range []struct {
		size, rate  string
		want, least float64 // us
	}{
		{"32MiB", "3.6TB/s", 32 << 20 / 450e3, 0.99},
		{"256MiB", "2.15TB/s", 1081, 0.92},
	} {
		e, err := fabricast.Load(
			"../../examples/in-network/nvls.yaml", "workload.size="+c.size, "network.in_network.rate="+c.rate,
		)
		if err != nil {
			t.Fatal(err)
		}
		r, err := e.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if share := float64(r.SimulatedTime) / 1e6 / c.want; share < c.least || share > c.least+0.03 {
			t.Errorf("%s at %s takes %v, %.3f of %.1f us", c.size, c.rate, r.SimulatedTime, share, c.want)
		}
	}
}
