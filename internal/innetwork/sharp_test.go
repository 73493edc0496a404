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
