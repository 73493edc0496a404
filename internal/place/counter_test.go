package place

import (
	"context"
	"errors"
	"testing"

	"fabricast/experiment"
	"fabricast/topology"
)

// TestProgress: the share that is told rises to 1, and a search that is cut says so.
func TestProgress(t *testing.T) {
	e := experiment.Experiment{Ranks: 64}
	e.Network.Topology = topology.TorusSpec{Dims: []int{4, 4, 4}}
	p, flows := planOf(t, e), stencil(4, 1)
	last := 0.0
	told := func(share float64) {
		if share <= last {
			t.Errorf("%g after %g", share, last)
		}
		last = share
	}
	if _, _, err := Search(t.Context(), p, flows, Options{Seed: 1, Swaps: 5000, Progress: told}); err != nil {
		t.Fatal(err)
	}
	if last < 0.5 || last > 1 {
		t.Errorf("at the end it is %g", last)
	}
	ctx, stop := context.WithCancel(t.Context())
	_, _, err := Search(ctx, p, flows, Options{Seed: 1, Swaps: 1 << 30, Progress: func(float64) { stop() }})
	var cut *InterruptedError
	if !errors.As(err, &cut) || !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted search ends with %v", err)
	}
}
