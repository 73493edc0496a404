package traffic_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"sync/atomic"
	"testing"

	"fabricast/fabric"
	"fabricast/internal/snapshot"
	"fabricast/routing"
	"fabricast/topology"
	"fabricast/traffic"
)

// paused runs traffic until the given number of messages has been delivered, and saves the state in
// to. If the measurement ends earlier, it returns the outcome. from is a state from which to
// resume; nil: start.
func paused(
	t *testing.T, spec fabric.Spec, l traffic.Load, m traffic.Measure, blocks int,
	from, to *snapshot.Snapshot, messages int64,
) *traffic.Outcome {
	t.Helper()
	n, err := fabric.New(spec, blocks)
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	s, err := traffic.Put(n, spec, l, m)
	if err != nil {
		t.Fatal(err)
	}
	if from != nil {
		from.Restore(s.State)
	}
	var left atomic.Int64
	var stop atomic.Bool
	left.Store(messages)
	s.Log(func(int, traffic.Carried) {
		if left.Add(-1) == 0 {
			stop.Store(true)
		}
	})
	o, err := s.Run(&stop, func() bool {
		to.Save(s.State)
		return false
	})
	if errors.Is(err, traffic.ErrStopped) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// A measurement that is stopped at random times, and resumed in another network, gives the same
// result as one without stops.
func TestStoppedMeasurements(t *testing.T) {
	runs, stops := 60, 0
	if testing.Short() {
		runs = 6
	}
	for seed := range uint64(runs) {
		d := rand.New(rand.NewPCG(seed, 24))
		spec, top := network(t, 2, true, 4, 4)
		if d.IntN(2) == 0 {
			adapt(t, &spec, top)
		}
		share := []float64{0.1, 0.5, 0.95}[d.IntN(3)]
		l := load(t, []string{"uniform", "tornado"}[d.IntN(2)], top, share)
		if d.IntN(3) == 0 {
			l.Arrivals, l.Window, l.Reply = traffic.Arrivals{}, 1+d.IntN(4), 200
		}
		m := traffic.Measure{Precision: 0.05, Tolerance: 0.01, Longest: 20_000_000, Halves: d.IntN(2) == 0}
		blocks := 1 + d.IntN(3)
		want := paused(t, spec, l, m, 1, nil, nil, -1)
		var states [2]snapshot.Snapshot
		var from *snapshot.Snapshot
		var got *traffic.Outcome
		for i := 0; got == nil; i++ {
			to := &states[i&1]
			got = paused(t, spec, l, m, blocks, from, to, 1+d.Int64N(20_000))
			from = to
			stops++
		}
		if a, b := fmt.Sprintf("%+v", *got), fmt.Sprintf("%+v", *want); !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d, stopped: %s\nat once: %s", seed, a, b)
		}
	}
	if stops < 2*runs {
		t.Errorf("%d stops in %d runs", stops-runs, runs)
	}
}

// adapt changes the routing of a network to adaptive routing.
func adapt(t *testing.T, spec *fabric.Spec, top *topology.Torus) {
	t.Helper()
	spec.Router.VCs = 3
	a, err := routing.NewMinimalAdaptive(top, 3)
	if err != nil {
		t.Fatal(err)
	}
	spec.Routing, spec.Adaptive = nil, a
}
