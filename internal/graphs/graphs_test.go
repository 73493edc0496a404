package graphs_test

import (
	"math"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"fabricast/internal/graphs"
	"fabricast/topology"
)

// drawSmall is a network small enough to try all divisions of its routers.
func drawSmall(t *rapid.T) topology.Topology {
	n := func(name string, low, high int) int { return rapid.IntRange(low, high).Draw(t, name) }
	even := rapid.Bool().Draw(t, "rings")
	specs := []topology.Spec{
		topology.TorusSpec{
			Dims:  []int{n("x", 2, 4), n("y", 1, 3)},
			Wrap:  []bool{rapid.Bool().Draw(t, "wrap x"), rapid.Bool().Draw(t, "wrap y")},
			Hosts: n("hosts", 1, 2),
		},
		topology.TorusSpec{Dims: []int{3, 3}, Wrap: []bool{even, even}, Hosts: 1},
		topology.TorusSpec{Dims: []int{2*n("half", 1, 5) + 1}, Wrap: []bool{even}, Hosts: 1},
		topology.HyperXSpec{Dims: []int{n("x", 2, 4), n("y", 1, 3)}, Hosts: 1},
		topology.FullSpec{Routers: n("routers", 2, 9), Width: []int{n("width", 1, 2)}, Hosts: 1},
		topology.XGFTSpec{M: []int{2, n("m", 2, 4)}, W: []int{1, n("w", 1, 3)}},
		topology.XGFTSpec{M: []int{1, 2, 2}, W: []int{1, 2, n("w3", 1, 2)}},
		topology.DragonflySpec{
			P: 1,
			A: 2,
			H: 2,
			G: n("g", 2, 5),
			Arrangement: rapid.SampledFrom([]topology.Arrangement{topology.Absolute, topology.Relative, topology.Circulant}).
				Draw(t, "arrangement"),
		},
		topology.HierarchySpec{
			Block: topology.TorusSpec{Dims: []int{1, 2}, Hosts: 1},
			Outer: topology.TorusSpec{Dims: []int{2, n("outer", 1, 3)}},
		},
		topology.HammingMeshSpec{Board: []int{n("a", 1, 2), 1}, Boards: []int{2, n("boards", 1, 2)}},
		topology.TwistedTorusSpec{
			Dims: []int{2, n("x", 2, 4)}, Hosts: 1, Twist: []topology.Twist{{Of: 0, Along: 1, By: 1}},
		},
	}
	top, err := specs[n("kind", 0, len(specs)-1)].Build(1)
	if err != nil {
		t.Fatal(err)
	}
	return top
}

// leastCut tries all divisions into halves that are as equal as can be. It also returns the hosts of
// the smaller half.
func leastCut(g *topology.Graph, bandwidth []int64) (cut int64, smaller int) {
	hosts := make([]int, g.Routers)
	for h := range g.Hosts {
		hosts[g.HostRouter(h)]++
	}
	best, bestExcess := int64(math.MaxInt64), g.Hosts
	for set := range uint(1) << g.Routers {
		excess := -g.Hosts
		for s := set; s != 0; s &= s - 1 {
			excess += 2 * hosts[bits.TrailingZeros(s)]
		}
		excess = max(excess, -excess)
		if excess > bestExcess {
			continue
		}
		var cut int64
		for p := range g.Ports {
			if peer := g.PeerRouter(p); peer >= 0 && set>>g.Ports[p].Router&1 == 1 && set>>peer&1 == 0 {
				cut += bandwidth[g.Ports[p].Link]
			}
		}
		if excess < bestExcess || cut < best {
			best, bestExcess = cut, excess
		}
	}
	return best, (g.Hosts - bestExcess) / 2
}

// TestBisection holds formulas to the truth, and what a search finds to be no less. How often a search finds the truth
// is counted over networks that are the same in each run, so that few draws do not decide.
func TestBisection(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { bisected(t) })
	formulas, sharp := 0, 0
	const all = 100
	example := rapid.Custom(func(t *rapid.T) [2]bool {
		formula, right := bisected(t)
		return [2]bool{formula, right}
	})
	for i := range all {
		is := example.Example(i)
		if is[0] {
			formulas++
		}
		if is[1] {
			sharp++
		}
	}
	if formulas == 0 || sharp < all*9/10 {
		t.Errorf("%d formulas, %d of %d right", formulas, sharp, all)
	}
}

// bisected checks the bisection of a drawn network. It reports whether a formula gave it, and whether it is the least.
func bisected(t *rapid.T) (formula, right bool) {
	top := drawSmall(t)
	bandwidth := make([]int64, len(top.LinkClasses()))
	for i := range bandwidth {
		bandwidth[i] = rapid.Int64Range(1, 3).Draw(t, "bandwidth")
	}
	b, ok := graphs.Bisect(top, bandwidth, true)
	if !ok {
		t.Fatalf("no bisection of %d routers", top.Graph().Routers)
	}
	want, smaller := leastCut(top.Graph(), bandwidth)
	if b.Hosts > smaller || b.Formula && b.Hosts != smaller {
		t.Fatalf("%s: %d hosts in the smaller half, all divisions give %d", top.Kind(), b.Hosts, smaller)
	}
	if b.Bandwidth < want || b.Formula && b.Bandwidth != want {
		t.Fatalf("%s %+v: bisection %+v, all divisions give %d", top.Kind(), top.Graph().Routers, b, want)
	}
	return b.Formula, b.Bandwidth == want
}

// TestFullBisection demands that k-ary n-trees, odd ones too, carry between their halves what the
// smaller half injects.
func TestFullBisection(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, levels := rapid.IntRange(2, 9).Draw(t, "k"), rapid.IntRange(2, 3).Draw(t, "levels")
		spec := topology.XGFTSpec{M: slices.Repeat([]int{k}, levels), W: slices.Repeat([]int{k}, levels)}
		spec.W[0] = 1
		top, err := spec.Build(1)
		if err != nil {
			t.Fatal(err)
		}
		rate := rapid.Int64Range(1, 1000).Draw(t, "bandwidth")
		b, ok := graphs.Bisect(top, slices.Repeat([]int64{rate}, len(top.LinkClasses())), true)
		if hosts := top.Graph().Hosts; !ok || b.Bandwidth != rate*int64(b.Hosts) || b.Hosts > hosts/2 ||
			b.Hosts < (hosts-k)/2 {
			t.Fatalf("%d-ary %d-tree: %+v of links of %d", k, levels, b, rate)
		}
	})
}

// TestDistances compares with the topologies' own arithmetic.
func TestDistances(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := drawSmall(t)
		g := top.Graph()
		sum, most := 0, 0
		for a := range g.Hosts {
			for b := range g.Hosts {
				d := top.Distance(a, b)
				sum += d
				most = max(most, d)
			}
		}
		mean := float64(sum) / float64(g.Hosts*(g.Hosts-1))
		d := graphs.New(g, nil).Measure(graphs.Representatives(top))
		if !d.Exact || d.Diameter != most || math.Abs(d.Mean-mean) > 1e-9 {
			t.Fatalf("measured %+v, want diameter %d and mean %v", d, most, mean)
		}
	})
}

// known is a network of a user that knows its symmetry and its bisection.
type known struct{ *topology.Irregular }

func (known) Representatives() int { return 1 }

func (known) Bisection(bandwidth []int64) (int64, string) {
	return 2 * bandwidth[topology.LinkRouter], "formula: of rings"
}

// TestOwnTopology holds that what a topology knows of itself is used.
func TestOwnTopology(t *testing.T) {
	ring, err := topology.NewIrregular(topology.IrregularSpec{
		Names: []string{"a", "b", "c", "d"}, Hosts: []int{1, 1, 1, 1},
		Edges: []topology.Edge{{A: 0, B: 1}, {A: 1, B: 2}, {A: 2, B: 3}, {A: 3, B: 0}},
	}, 1)
	if err != nil {
		t.Fatal(err)
	}
	bandwidth := []int64{10, 20}
	found, _ := graphs.Bisect(ring, bandwidth, true)
	stated, _ := graphs.Bisect(known{ring}, bandwidth, true)
	if !stated.Formula || found.Formula || stated.Bandwidth != found.Bandwidth || stated.Hosts != 2 {
		t.Errorf("stated %+v, found %+v", stated, found)
	}
	if n, all := graphs.Representatives(known{ring}), graphs.Representatives(ring); n != 1 || all != 4 {
		t.Errorf("%d routers represent all, of an unknown network %d", n, all)
	}
}

// TestBisectionOfTwistedTori: the usual twists double the bisection of k, k, 2k, to 4k² links, and those
// of k, 2k, 2k do not lower it. That of a HammingMesh of square boards is 1/(2a) of half of the links.
func TestBisectionOfTwistedTori(t *testing.T) {
	find := func(s topology.Spec) int64 {
		t.Helper()
		top, err := s.Build(1)
		if err != nil {
			t.Fatal(err)
		}
		b, ok := graphs.Bisect(top, slices.Repeat([]int64{1}, len(top.LinkClasses())), true)
		if !ok {
			t.Fatalf("no bisection of %+v", s)
		}
		return b.Bandwidth
	}
	const k = 4
	for _, c := range []struct {
		dims              []int
		straight, atLeast int64
	}{{[]int{k, k, 2 * k}, 2 * k * k, 4 * k * k}, {[]int{k, 2 * k, 2 * k}, 4 * k * k, 4 * k * k}} {
		straight := find(topology.TorusSpec{Dims: c.dims, Hosts: 1})
		twisted := find(topology.TwistedTorusSpec{Dims: c.dims, Twist: topology.UsualTwist(c.dims), Hosts: 1})
		if straight != c.straight || twisted < c.atLeast {
			t.Errorf("%v: %d links across a torus, %d across a twisted one", c.dims, straight, twisted)
		}
	}
	for a := 1; a <= 4; a++ {
		const boards = 4
		links := int64(4 * a * a * boards * boards)
		got := find(topology.HammingMeshSpec{Board: []int{a, a}, Boards: []int{boards, boards}})
		if want := links / 2 / int64(2*a); got != want {
			t.Errorf("HammingMesh of boards %dx%d: bisection %d, want %d", a, a, got, want)
		}
	}
}
