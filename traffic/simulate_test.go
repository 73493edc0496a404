package traffic_test

import (
	"math"
	"sync/atomic"
	"testing"

	"fabricast/fabric"
	"fabricast/routing"
	"fabricast/topology"
	"fabricast/traffic"
)

// network is a torus whose links move a flit of 16 bytes in 1 ns, with
// packets of 8 flits.
func network(t *testing.T, vcs int, wrap bool, dims ...int) (fabric.Spec, *topology.Torus) {
	t.Helper()
	rings := make([]bool, len(dims))
	for i := range rings {
		rings[i] = wrap
	}
	top, err := topology.NewTorus(dims, rings, 1)
	if err != nil {
		t.Fatal(err)
	}
	dor, err := routing.NewDOR(top, vcs, routing.TieSplit)
	if err != nil {
		t.Fatal(err)
	}
	link := fabric.Link{Bandwidth: 16e9, Latency: 1000}
	return fabric.Spec{
		Graph: top.Graph(), Routing: dor, Links: []fabric.Link{link, link},
		Router: fabric.Router{VCAllocation: 1000, SwitchAllocation: 1000, Bandwidth: 16e9, VCs: vcs, Buffer: 512},
		Packet: fabric.Packet{MTU: 128, Flit: 16}, DMA: 1e15,
	}, top
}

// load is uniform traffic of full packets.
func load(t *testing.T, name string, top topology.Topology, share float64) traffic.Load {
	t.Helper()
	p, err := traffic.New(traffic.Spec{Name: name}, top)
	if err != nil {
		t.Fatal(err)
	}
	return traffic.Load{
		Pattern: p, Sizes: []traffic.SizeClass{{From: 128, To: 128, Share: 1}},
		Arrivals: traffic.Arrivals{Load: int64(share * traffic.LoadUnit)}, Seed: 1,
	}
}

func measure(t *testing.T, spec fabric.Spec, l traffic.Load, blocks int) *traffic.Outcome {
	t.Helper()
	n, err := fabric.New(spec, blocks)
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	s, err := traffic.Put(n, spec, l, traffic.Measure{Precision: 0.02, Tolerance: 0.01})
	if err != nil {
		t.Fatal(err)
	}
	o, err := s.Run(new(atomic.Bool))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestIdleNetwork holds a low load to the closed forms: the mean number of hops of
// uniform traffic on an 8-ary 2-cube is 2 * 8/4, and each hop takes 3 cycles.
func TestIdleNetwork(t *testing.T) {
	spec, top := network(t, 2, true, 8, 8)
	o := measure(t, spec, load(t, "uniform", top, 0.005), 1)
	const cycle = 1000
	want := 3*(o.Hops+1) + 1 + 8
	if got := float64(o.Latency.Mean()) / cycle; math.Abs(got/want-1) > 0.01 {
		t.Errorf("latency %.3f cycles, want %.3f", got, want)
	}
	if math.Abs(o.Hops-4) > 0.05 {
		t.Errorf("%.3f hops, want 4", o.Hops)
	}
	if !o.Stable || !o.WarmedUp || !o.Precise || math.Abs(o.Accepted/0.005-1) > 0.05 {
		t.Errorf("%+v", o)
	}
}

func TestWorkersMeasureTheSame(t *testing.T) {
	spec, top := network(t, 2, true, 8, 8)
	for _, share := range []float64{0.3, 0.9} {
		var want *traffic.Outcome
		for blocks := 1; blocks <= 3; blocks++ {
			o := measure(t, spec, load(t, "uniform", top, share), blocks)
			if want == nil {
				want = o
			}
			if o.Hash != want.Hash || o.Accepted != want.Accepted || o.Latency.Mean() != want.Latency.Mean() ||
				o.NetworkLatency != want.NetworkLatency || o.AcceptedMin != want.AcceptedMin || o.Hops != want.Hops || o.Last != want.Last {
				t.Errorf("load %g: %d blocks measure %x %g %d, one block %x %g %d", share, blocks,
					o.Hash, o.Accepted, o.Latency.Mean(), want.Hash, want.Accepted, want.Latency.Mean())
			}
		}
		t.Logf("%g: accepted %.4f+-%.4f (%.3f-%.3f) stable %t warm %t precise %t growth %.4f worst %.4f latency %d+-%.0f network %.0f from %d to %d", share, want.Accepted, want.AcceptedHalf, want.AcceptedMin, want.AcceptedMax, want.Stable, want.WarmedUp, want.Precise, want.Growth, want.WorstGrowth, want.Latency.Mean(), want.LatencyHalf, want.NetworkLatency, want.From, want.To)
	}
}
