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

// network returns a torus with packets of 8 flits, whose links transfer a flit of 16 bytes in 1 ns.
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
		Router: fabric.Router{
			VCAllocation:     1000,
			SwitchAllocation: 1000,
			Bandwidth:        16e9,
			VCs:              vcs,
			Buffer:           512,
		},
		Packet: fabric.Packet{MTU: 128, Flit: 16}, DMA: 1e15,
	}, top
}

// load returns traffic of full packets with the named pattern.
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
	return measureAs(t, spec, l, blocks, traffic.Measure{Precision: 0.02, Tolerance: 0.01})
}

func measureAs(
	t *testing.T, spec fabric.Spec, l traffic.Load, blocks int, m traffic.Measure,
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
	o, err := s.Run(new(atomic.Bool), nil)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestIdleNetwork compares the results at a low load with formulas: the mean number of hops of
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
	dims := []int{8, 8}
	if testing.Short() {
		dims = []int{4, 3}
	}
	spec, top := network(t, 2, true, dims...)
	for _, share := range []float64{0.3, 0.9} {
		var want *traffic.Outcome
		for blocks := 1; blocks <= 3; blocks++ {
			o := measure(t, spec, load(t, "uniform", top, share), blocks)
			if want == nil {
				want = o
			}
			if o.Hash != want.Hash || o.Accepted != want.Accepted || o.Latency.Mean() != want.Latency.Mean() ||
				o.NetworkLatency != want.NetworkLatency || o.AcceptedMin != want.AcceptedMin ||
				o.Hops != want.Hops ||
				o.Last != want.Last {
				t.Errorf("load %g: %d blocks measure %x %g %d, one block %x %g %d", share, blocks,
					o.Hash, o.Accepted, o.Latency.Mean(), want.Hash, want.Accepted, want.Latency.Mean())
			}
		}
	}
}

// TestRingTornado checks the throughput of tornado traffic on a ring of 8 routers. All traffic goes
// three hops in the same direction, so every link in this direction carries the traffic of three
// hosts, and the saturation throughput is 1/3.
func TestRingTornado(t *testing.T) {
	spec, top := network(t, 2, true, 8)
	o := measure(t, spec, load(t, "tornado", top, 0.1), 1)
	var sent, up, down float64
	for nic := range spec.Graph.NICPort {
		sent += float64(o.NIC(nic).Bytes)
	}
	for r := range spec.Graph.Routers {
		up += float64(o.Port(int(spec.Graph.PortBase[r])).Bytes)
		down += float64(o.Port(int(spec.Graph.PortBase[r]) + 1).Bytes)
	}
	if math.Abs(up/sent-3) > 0.01 || down != 0 || !o.Stable {
		t.Errorf("%.3f times the injected bytes go up and %.3f down, want 3 and 0", up/sent, down/sent)
	}
	if o := measure(t, spec, load(t, "tornado", top, 0.5), 1); o.Stable || o.Accepted > 1.0/3 {
		t.Errorf(
			"accepted %.4f of a load of 0.5, stable %t; want at most 1/3, and not stable",
			o.Accepted, o.Stable,
		)
	}
}

// TestClosedLoop checks a closed loop with one outstanding request. The latency is that of two
// messages in an idle network, and it determines the throughput.
func TestClosedLoop(t *testing.T) {
	spec, top := network(t, 2, true, 8)
	l := load(t, "neighbour", top, 0)
	l.Window, l.Reply = 1, 16
	o := measure(t, spec, l, 1)
	// Each way has two routers with 3 cycles each, and 1 cycle for the last link.
	want := int64((2*3 + 1 + 8) + (2*3 + 1 + 1))
	if o.Latency.Mean() != want*1000 || o.Latency.Max() != want*1000 {
		t.Errorf("round trip %d to %d ps, want %d", o.Latency.Mean(), o.Latency.Max(), want*1000)
	}
	if accepted := 9 / float64(want); math.Abs(o.Accepted-accepted) > 0.01 || !o.Stable {
		t.Errorf("accepted %.4f, want %.4f", o.Accepted, accepted)
	}
	for _, window := range []int{4, 64} {
		l.Window = window
		o, again := measure(t, spec, l, 1), measure(t, spec, l, 2)
		if o.Hash != again.Hash || o.Latency.Mean() != again.Latency.Mean() {
			t.Errorf("window %d: one block measures %x, two %x", window, o.Hash, again.Hash)
		}
	}
}

// TestAdaptiveWorkersMeasureTheSame is like TestWorkersMeasureTheSame, with adaptive routing, which
// uses the general path of the engine, and messages of many sizes.
func TestAdaptiveWorkersMeasureTheSame(t *testing.T) {
	top, err := topology.NewDragonfly(topology.DragonflySpec{P: 2, A: 4, H: 2}, 1)
	if err != nil {
		t.Fatal(err)
	}
	ugal, err := routing.NewUGALL(top, 4, routing.UGALOptions{})
	if err != nil {
		t.Fatal(err)
	}
	spec, _ := network(t, 4, true, 2)
	spec.Graph, spec.Routing, spec.Adaptive, spec.Seed = top.Graph(), nil, ugal, 5
	spec.Links = []fabric.Link{spec.Links[0], spec.Links[0], spec.Links[0]}
	spec.Router.Queues = fabric.VirtualOutputQueues
	shares, least := []float64{0.2, 0.8}, 2
	if testing.Short() {
		shares, least = shares[:1], 3
	}
	for _, share := range shares {
		l := load(t, "worst", top, share)
		l.Sizes = []traffic.SizeClass{{From: 64, To: 64, Share: 1}, {From: 1, To: 500, Share: 2}}
		want := measure(t, spec, l, 1)
		for blocks := least; blocks <= 3; blocks++ {
			o := measure(t, spec, l, blocks)
			if o.Hash != want.Hash || o.Accepted != want.Accepted || o.Hops != want.Hops ||
				o.Last != want.Last {
				t.Errorf(
					"load %g: %d blocks measure %x %g, one block %x %g",
					share, blocks, o.Hash, o.Accepted, want.Hash, want.Accepted,
				)
			}
		}
	}
}
