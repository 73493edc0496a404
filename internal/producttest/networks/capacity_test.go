package networks

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"fabricast"
	"fabricast/experiment"
	"fabricast/routing"
	"fabricast/topology"
)

// capacityOf is the capacity of traffic on a network before it is run.
func capacityOf(
	t interface{ Fatal(...any) },
	n experiment.Network,
	traffic experiment.Traffic,
) *fabricast.Capacity {
	if traffic.Window == 0 {
		traffic.Load = 10 * fabricast.Percent
	}
	e := fabricast.Experiment{Network: n, Traffic: traffic}
	p, err := e.Preview()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.FindCapacity(context.Background()); err != nil {
		t.Fatal(err)
	}
	return p.Capacity
}

// ringLoad is what uniform traffic of a host at each router puts on the busiest link of one
// dimension, over a mean way of a quarter of a ring in either direction, or where all that passes
// the middle of a line has to go.
func ringLoad(k int, wraps bool) float64 {
	switch {
	case !wraps:
		return float64(k/2*((k+1)/2)) / float64(k)
	case k%2 == 0:
		return float64(k) / 8
	}
	return float64(k*k-1) / float64(8*k)
}

// TestCapacityOfGrids: uniform traffic and tornado on random tori, meshes and HyperX have the
// capacities of the closed forms (Dally and Towles 2004, chapter 3; Kim, Dally and Abts 2007),
// Valiant's routing half of that and a little more, as what stays at a router takes no detour.
func TestCapacityOfGrids(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims := rapid.SliceOfN(rapid.IntRange(2, 6), 1, 3).Draw(t, "dims")
		hosts := rapid.IntRange(1, 3).Draw(t, "hosts")
		routers, most := 1, 0.0
		kind := rapid.SampledFrom([]string{experiment.KindTorus, experiment.KindMesh, experiment.KindHyperX}).
			Draw(t, "kind")
		for _, k := range dims {
			routers *= k
			if kind == experiment.KindHyperX {
				most = max(most, float64(hosts)/float64(k))
			} else {
				most = max(most, float64(hosts)*ringLoad(k, kind == experiment.KindTorus))
			}
		}
		n := experiment.Network{
			Topology: map[string]topology.Spec{
				experiment.KindTorus:  topology.TorusSpec{Dims: dims, Hosts: hosts},
				experiment.KindMesh:   topology.MeshSpec{Dims: dims, Hosts: hosts},
				experiment.KindHyperX: topology.HyperXSpec{Dims: dims, Hosts: hosts},
			}[kind],
			Router: experiment.Router{VCs: 4},
		}
		n.Routing = routing.DOROptions{Choice: routing.ChoicePacket}
		traffic := experiment.Traffic{Pattern: experiment.Pattern{Name: "uniform"}}
		want := 1 / most
		switch rapid.IntRange(0, 3).Draw(t, "variant") {
		case 1:
			n.Routing = routing.ValiantOptions{}
			want *= float64(routers) / float64(2*(routers-1))
		case 2: // requests and replies of any size load the links of either direction alike
			traffic.Window, traffic.Reply = 2, fabricast.Bytes(rapid.IntRange(1, 3000).Draw(t, "reply"))
		case 3:
			if kind == experiment.KindTorus && slices.Max(dims) > 2 {
				traffic.Pattern.Name = "tornado"
				n.Routing = nil
				want = 1 / float64(hosts*((slices.Max(dims)+1)/2-1))
			}
		}
		c := capacityOf(t, n, traffic)
		if c == nil || !c.Exact || math.Abs(c.Load/want-1) > 1e-9 || c.Low != c.Load || c.High != c.Load ||
			c.Link == "" {
			t.Fatalf("%+v, want %v", c, want)
		}
	})
}

// TestCapacities: closed forms of other networks and patterns.
func TestCapacities(t *testing.T) {
	f := func(want float64, top topology.Spec, pattern string, r routing.Spec) {
		t.Helper()
		c := capacityOf(
			t,
			experiment.Network{Topology: top, Routing: r, Router: experiment.Router{VCs: 8}},
			experiment.Traffic{Pattern: experiment.Pattern{Name: pattern}},
		)
		if c == nil || !c.Exact || math.Abs(c.Load/want-1) > 1e-9 {
			t.Errorf("%s on %+v: %+v, want %v", pattern, top, c, want)
		}
	}
	torus := func(dims ...int) topology.Spec {
		return topology.TorusSpec{Dims: dims}
	}
	full := topology.FullSpec{Routers: 16, Hosts: 16}
	dragonfly := topology.DragonflySpec{P: 2, A: 4, H: 2}
	tree := topology.KaryTreeSpec{K: 4, N: 2}
	f(1, full, "uniform", nil)
	f(1.0/16, full, "worst", nil)
	f(0.5, torus(8, 8, 8), "complement", nil)
	f(0.25, torus(8, 8), "transpose", routing.DOROptions{Tie: routing.TieUp})
	f(1/8.0, dragonfly, "worst", routing.MinimalOptions{Choice: routing.ChoicePacket})
	f(1/6.0, topology.SlimFlySpec{Q: 5, Hosts: 3}, "worst", nil)
	f(1/3.0, tree, "worst", routing.NCAOptions{Up: routing.UpDestination})
	f(16/12.0, tree, "uniform", routing.NCAOptions{Up: routing.UpRandom})
	f(1, tree, "complement", routing.NCAOptions{Up: routing.UpRandom})
	c := capacityOf(
		t,
		experiment.Network{Topology: torus(4, 4)},
		experiment.Traffic{
			Pattern: experiment.Pattern{Name: "hot-spot", Hosts: []int{3}, Share: 50 * fabricast.Percent},
		},
	)
	if want := 1 / (16*0.5 + 0.5); math.Abs(c.Hosts/want-1) > 1e-9 {
		t.Errorf("the hot host is full at %v, want %v", c.Hosts, want)
	}
}

// TestCapacityOfUnequalLinks: the slowest links count.
func TestCapacityOfUnequalLinks(t *testing.T) {
	n := experiment.Network{
		Topology: topology.DragonflySpec{P: 2, A: 4, H: 2},
		Links:    map[string]experiment.Link{"global": {Bandwidth: 2_000_000_000}},
	}
	pattern := experiment.Traffic{Pattern: experiment.Pattern{Name: "worst"}}
	slow := capacityOf(t, n, pattern)
	n.Links = nil
	n.Link.Bandwidth = 8_000_000_000
	if even := capacityOf(t, n, pattern); math.Abs(even.Load/slow.Load-4) > 1e-9 {
		t.Errorf("%v with links alike, %v with global ones of a quarter", even.Load, slow.Load)
	}
}

// TestEstimatedCapacity: where queues decide on routes, the interval has the capacity that follows
// from the symmetry of the network, the estimate is near it, and both are the same for any number
// of workers.
func TestEstimatedCapacity(t *testing.T) {
	f := func(want float64, top topology.Spec, r routing.Spec) {
		t.Helper()
		var first *fabricast.Capacity
		for workers := 1; workers <= 2; workers++ {
			e := fabricast.Experiment{
				Network: experiment.Network{Topology: top, Routing: r, Router: experiment.Router{VCs: 4}},
				Traffic: experiment.Traffic{
					Pattern: experiment.Pattern{Name: "uniform"},
					Load:    20 * fabricast.Percent,
				},
			}
			result, err := e.Run(context.Background(), fabricast.Workers(workers))
			if err != nil {
				t.Fatal(err)
			}
			c := result.Traffic.Capacity
			switch {
			case c == nil || c.Exact || c.Low > want || c.High < want || math.Abs(c.Load/want-1) > 0.06:
				t.Errorf("%s on %+v: %+v, want %v", r.Name(), top, c, want)
			case first != nil && *first != *c:
				t.Errorf("%s: %+v with one worker, %+v with two", r.Name(), first, c)
			}
			first = c
		}
	}
	f(
		2,
		topology.TorusSpec{Dims: []int{4, 4}},
		routing.AdaptiveOptions{},
	)
	f(
		1,
		topology.TorusSpec{Dims: []int{8, 8}},
		routing.AdaptiveOptions{},
	)
	f(
		1,
		topology.HyperXSpec{Dims: []int{4, 4}, Hosts: 4},
		routing.AdaptiveOptions{},
	)
	f(
		8/7.0,
		topology.KaryTreeSpec{K: 8, N: 2},
		routing.NCAOptions{Up: routing.UpAdaptive},
	)
}

// TestCapacityIsThatOfPackets: on networks, with routing and patterns drawn at random, the links
// carry at a low load what the exact capacity says of the busiest, as far as chance lets them.
func TestCapacityIsThatOfPackets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := rapid.SampledFrom([]topology.Spec{
			topology.TorusSpec{Dims: []int{4, 4}},
			topology.MeshSpec{Dims: []int{4, 4}},
			topology.HyperXSpec{Dims: []int{4, 2}, Hosts: 2},
			topology.DragonflySpec{P: 1, A: 2, H: 1},
			topology.KaryTreeSpec{K: 4, N: 2},
		}).Draw(t, "topology")
		r := rapid.SampledFrom([]routing.Spec{
			routing.MinimalOptions{},
			routing.MinimalOptions{Choice: routing.ChoicePacket},
			routing.ValiantOptions{},
			routing.ShortestOptions{},
			routing.UpDownOptions{},
		}).Draw(t, "routing")
		pattern := rapid.SampledFrom([]string{"uniform", "uniform-others", "worst"}).Draw(t, "pattern")
		e := fabricast.Experiment{
			Seed:    rapid.Uint64().Draw(t, "seed"),
			Network: experiment.Network{Topology: top, Routing: r, Router: experiment.Router{VCs: 8}},
			Traffic: experiment.Traffic{
				Pattern: experiment.Pattern{Name: pattern},
				Load:    5 * fabricast.Percent,
				Measure: experiment.Measure{Precision: 10 * fabricast.Percent},
			},
		}
		result, err := e.Run(context.Background(), fabricast.Workers(1))
		if err != nil {
			t.Fatal(err)
		}
		c := result.Traffic.Capacity
		if c == nil || !c.Exact {
			t.Fatalf("%+v", c)
		}
		// The busiest link's packets vary by about the root of their number.
		seen := result.Links.MaxUtilization / result.Traffic.Accepted.Mean * c.Load
		hostShare := float64(result.Traffic.Messages) / float64(hostsOf(top))
		packets := float64(result.Links.MaxUtilization) / result.Traffic.Accepted.Mean * hostShare
		if spread := 5 / math.Sqrt(packets); seen < 1-spread || seen > 1+spread {
			t.Fatalf(
				"%s: the busiest link has %.3f of what was expected, after about %.0f packets",
				fmt.Sprintf("%T %T %s", top, r, pattern), seen, packets,
			)
		}
	})
}

// hostsOf counts the hosts of the networks above.
func hostsOf(t topology.Spec) int {
	if _, small := t.(topology.DragonflySpec); small {
		return 6
	}
	return 16
}
