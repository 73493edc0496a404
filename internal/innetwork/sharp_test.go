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

// TestNVLS holds what docs/validation/nccl.md says of the switches of a node of 8 H100: if GPUs cost no time, an
// allreduce of n bytes by them takes hardly longer than n bytes on one link, and far less than was measured.
func TestNVLS(t *testing.T) {
	for size, bytes := range map[string]float64{"32MiB": 32 << 20, "256MiB": 256 << 20} {
		e, err := fabricast.Load(
			"../../examples/in-network/nvls.yaml", "workload.size="+size, "workload.algorithm=in-network", "node.overhead=0ns",
		)
		if err != nil {
			t.Fatal(err)
		}
		r, err := e.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if share := float64(r.SimulatedTime) / 1e6 / (bytes / 450e3); share < 1 || share > 1.03 {
			t.Errorf("%s takes %v, %.3f of the time on one link", size, r.SimulatedTime, share)
		}
	}
}
