package place

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"fabricast/experiment"
	"fabricast/internal/plan"
	"fabricast/internal/random"
	"fabricast/routing"
	"fabricast/topology"
)

// networks are those that the tests draw from, with their default routing.
var networks = []topology.Spec{
	topology.TorusSpec{Dims: []int{4, 3}, Hosts: 2},
	topology.MeshSpec{Dims: []int{3, 3}},
	topology.FatTreeSpec{Radix: 4, Levels: 3},
	topology.DragonflySpec{P: 2, A: 3, H: 1},
	topology.HyperXSpec{Dims: []int{3, 4}},
	topology.FullSpec{Routers: 5, Hosts: 2},
}

func planOf(t interface{ Fatal(...any) }, e experiment.Experiment) *plan.Plan {
	e.Workload.Program = "barrier"
	r, err := experiment.Resolve(e)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Build(r)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// drawn returns a network with random routing options and mapping, and flows between its ranks.
func drawn(t *rapid.T) (*plan.Plan, []Flow) {
	e := experiment.Experiment{Seed: 7}
	e.Network.Topology = rapid.SampledFrom(networks).Draw(t, "network")
	e.Ranks = rapid.IntRange(2, 8).Draw(t, "ranks")
	e.Node.Ranks = rapid.IntRange(1, 2).Draw(t, "ranks of a node")
	e.Mapping.Order = experiment.MappingRandom
	var flows []Flow
	for a := range int32(e.Ranks) {
		for b := range int32(e.Ranks) {
			if bytes := rapid.Int64Range(-2000, 2000).Draw(t, "bytes"); a != b && bytes > 0 {
				flows = append(flows, Flow{From: a, To: b, Messages: 1, Bytes: bytes})
			}
		}
	}
	return planOf(t, e), flows
}

// TestLoadsAfterSwaps: loads that swaps keep up to date are those computed anew.
func TestLoadsAfterSwaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, flows := drawn(t)
		q, _, err := newProblem(p, flows)
		if err != nil {
			t.Fatal(err)
		}
		s := newState(q, newRoutes(&p.Fabric), q.slots)
		for range rapid.IntRange(1, 12).Draw(t, "swaps") {
			a := rapid.IntRange(0, q.ranks-1).Draw(t, "a")
			b := rapid.IntRange(0, q.ranks-1).Draw(t, "b")
			before, growth := s.hopBytes, s.growth(a, b)
			if a == b {
				continue
			}
			s.swap(a, b)
			if s.hopBytes != before+growth {
				t.Fatalf("the hop-bytes grow by %d, expected %d", s.hopBytes-before, growth)
			}
			fresh := newState(q, newRoutes(&p.Fabric), s.at)
			if !slices.Equal(fresh.load, s.load) || fresh.cost() != s.cost() {
				t.Fatalf("%+v by swaps, %+v anew", s.cost(), fresh.cost())
			}
		}
	})
}

// TestSearchOnlyGains: the best mapping, or the own one, costs no more than any start, uses the own
// mapping's hosts, and its cost is that of its loads computed anew.
func TestSearchOnlyGains(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, flows := drawn(t)
		onlyGains(t, p, flows)
	})
}

// TestOwnMappingIsBest: no start finds a mapping that costs less than the own one, which the list
// still has.
func TestOwnMappingIsBest(t *testing.T) {
	e := experiment.Experiment{Seed: 7, Ranks: 6, Node: experiment.Node{Ranks: 2}}
	e.Network.Topology = topology.MeshSpec{Dims: []int{3, 3}}
	e.Mapping.Order = experiment.MappingRandom
	var flows []Flow
	for _, ends := range [][2]int32{{3, 1}, {4, 2}, {4, 3}, {5, 2}, {5, 3}} {
		flows = append(flows, Flow{From: ends[0], To: ends[1], Messages: 1, Bytes: 1})
	}
	list := onlyGains(t, planOf(t, e), flows)
	if own := list[len(list)-1].Cost; !own.less(list[0].Cost) {
		t.Errorf("%+v is found, the own mapping costs %+v", list[0].Cost, own)
	}
}

// onlyGains checks what TestSearchOnlyGains says of a search, and returns what it found.
func onlyGains(t interface {
	Context() context.Context
	Fatal(...any)
	Fatalf(string, ...any)
}, p *plan.Plan, flows []Flow,
) []Found {
	list, _, err := Search(t.Context(), p, flows, Options{Seed: 3, Swaps: 300})
	if err != nil {
		t.Fatal(err)
	}
	q, _, err := newProblem(p, flows)
	if err != nil {
		t.Fatal(err)
	}
	best := list[len(list)-1].Cost // of the own mapping
	if list[0].Cost.less(best) {
		best = list[0].Cost
	}
	for _, s := range q.starts() {
		if cost := newState(q, newRoutes(&p.Fabric), s.at).cost(); cost.less(best) {
			t.Fatalf("%+v is found, but %s costs %+v", best, s.name, cost)
		}
	}
	own := slices.Sorted(slices.Values(p.Hosts))
	for _, f := range list {
		if !slices.Equal(slices.Sorted(slices.Values(f.Hosts)), own) {
			t.Fatalf("hosts %v instead of %v", f.Hosts, own)
		}
		at := make([]int32, len(f.Hosts))
		for r, h := range f.Hosts {
			i, _ := slices.BinarySearch(q.hosts, h)
			at[r] = int32(i)
		}
		if cost := newState(q, newRoutes(&p.Fabric), at).cost(); cost != f.Cost {
			t.Fatalf("%s: the cost is %+v, said to be %+v", f.Start, cost, f.Cost)
		}
	}
	return list
}

// stencil returns flows of 1000 bytes between neighbours in a periodic grid of n*n*n ranks, whose
// names are shuffled.
func stencil(n int, seed uint64) (flows []Flow) {
	names := make([]int32, n*n*n)
	for i := range names {
		names[i] = int32(i)
	}
	for i := len(names) - 1; i > 0; i-- {
		j := random.Below(seed, uint64(i), uint64(i+1))
		names[i], names[j] = names[j], names[i]
	}
	for i := range names {
		for stride := 1; stride < n*n*n; stride *= n {
			c := i / stride % n
			for _, d := range []int{1, n - 1} {
				to := i + ((c+d)%n-c)*stride
				flows = append(flows, Flow{From: names[i], To: names[to], Messages: 1, Bytes: 1000})
			}
		}
	}
	return flows
}

// TestShuffledStencil: a stencil whose ranks are shuffled on a torus of its shape gets at most
// twice the hop-bytes of the perfect mapping, which has one link for each message.
func TestShuffledStencil(t *testing.T) {
	e := experiment.Experiment{Ranks: 64}
	e.Network.Topology = topology.TorusSpec{Dims: []int{4, 4, 4}}
	p := planOf(t, e)
	for seed := range uint64(3) {
		flows := stencil(4, seed)
		list, kind, err := Search(t.Context(), p, flows, Options{Seed: seed, Swaps: 20_000})
		if err != nil {
			t.Fatal(err)
		}
		perfect := int64(len(flows)) * 1000 * whole
		best, own := list[0].Cost, list[len(list)-1].Cost
		t.Logf("from %s: %.2f of the perfect hop-bytes, own %.2f; busiest link %.0f ps, own %.0f ps",
			list[0].Start,
			float64(best.HopBytes)/float64(perfect), float64(own.HopBytes)/float64(perfect), best.Busiest, own.Busiest)
		if best.HopBytes > 2*perfect || kind != RoutesExact {
			t.Errorf("seed %d: %d hop-bytes of %s routes, perfect are %d", seed, best.HopBytes,
				kind, perfect)
		}
	}
}

// TestRoutesThatAreDrawn: shares of links sum to what arrives, also for routes by chance and by
// queues.
func TestRoutesThatAreDrawn(t *testing.T) {
	for spec, kind := range map[routing.Spec]string{
		routing.DOROptions{}: RoutesExact, routing.ValiantOptions{}: RoutesMean,
		routing.AdaptiveOptions{}: RoutesSampled,
	} {
		name := spec.Name()
		e := experiment.Experiment{Ranks: 9}
		e.Network.Topology = topology.MeshSpec{Dims: []int{3, 3}}
		e.Network.Routing = spec
		p := planOf(t, e)
		r := newRoutes(&p.Fabric)
		if r.kind != kind {
			t.Errorf("routes of %s are %s, expected %s", name, r.kind, kind)
		}
		list, err := r.between(0, 8)
		if err != nil {
			t.Fatal(err)
		}
		arrived := int64(0)
		for _, part := range list {
			if part.link == p.Fabric.Graph.NICPort[8] {
				arrived += part.share
			}
		}
		if hops, err := r.hops(0, 8); arrived != whole || hops < 4*whole-16 || err != nil {
			t.Errorf("%s: %d arrives after %d, expected %d: %v", name, arrived, hops, int64(whole), err)
		}
	}
}

// TestRefused: what a search cannot hold in memory, or count, is refused with what was found.
func TestRefused(t *testing.T) {
	e := experiment.Experiment{Ranks: 2}
	e.Network.Topology = topology.FullSpec{Routers: 2, Hosts: 1}
	flow := Flow{From: 0, To: 1, Bytes: mostBytes + 1}
	if _, _, err := Search(t.Context(), planOf(t, e), []Flow{flow}, Options{Swaps: 1}); err == nil {
		t.Error("too many bytes are accepted")
	}
	e.Network.Topology = topology.MeshSpec{Dims: []int{2500}}
	p := planOf(t, e)
	p.Hosts[1] = 2499
	flow.Bytes = mostBytes
	if _, _, err := Search(t.Context(), p, []Flow{flow}, Options{Swaps: 1}); err == nil {
		t.Error("bytes times hops beyond 64 bits are accepted")
	}
}
