package traffic

import (
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast/routing"
	"fabricast/topology"
)

// worstLoad routes the worst-case pattern, in which every host sends one flow. It returns the
// maximum number of flows on a link between routers, and the accepted load: the mean, over all
// flows, of 1 / the maximum number of flows on a link of the flow's route.
func worstLoad(t rapid.TB, top topology.Topology, algorithm routing.Function) (most int, accepted float64) {
	t.Helper()
	p, err := New(Spec{Name: "worst"}, top)
	if err != nil {
		t.Fatal(err)
	}
	g := top.Graph()
	ways, load, met := make([][]int32, g.Hosts), make([]int, len(g.Ports)), make([]bool, g.Hosts)
	for src := range int32(g.Hosts) {
		dst := p.Destination(src, nil)
		if met[dst] {
			t.Fatalf("host %d is the destination of two", dst)
		}
		met[dst] = true
		ways[src] = wayOf(g, algorithm, src, dst)
		for _, port := range ways[src] {
			load[port]++
			most = max(most, load[port])
		}
	}
	for _, way := range ways {
		busiest := 1
		for _, port := range way {
			busiest = max(busiest, load[port])
		}
		accepted += 1 / float64(busiest)
	}
	return most, accepted / float64(g.Hosts)
}

// wayOf returns the output ports on a route, without the last port, to the destination host.
func wayOf(g *topology.Graph, algorithm routing.Function, src, dst int32) (ports []int32) {
	if src == dst {
		return nil
	}
	header, _ := algorithm.Start(src, dst)
	at := g.Ports[g.NICPort[src]].Router
	for {
		port, _, next := algorithm.Next(at, header)
		slot := g.PortBase[at] + int32(port)
		if slot == g.NICPort[dst] {
			return ports
		}
		ports, header = append(ports, slot), next
		at = g.Ports[g.Ports[slot].Peer].Router
	}
}

// TestWorstCasesOfTrees checks the maximum number of flows on a link with destination-mod-k
// routing, and compares the accepted load with a formula.
func TestWorstCasesOfTrees(t *testing.T) {
	f := func(s topology.Spec, most int, share float64) {
		t.Helper()
		top, err := s.Build(1)
		if err != nil {
			t.Fatal(err)
		}
		gotMost, got := worstLoad(t, top, destinationMod(t, top))
		if gotMost != most || got > share+1e-9 {
			t.Errorf(
				"%+v: %d flows meet, a share of %.4f is accepted; want %d, %.4f",
				s, gotMost, got, most, share,
			)
		}
	}
	f(topology.KaryTreeSpec{K: 4, N: 3}, 4, 1./4)
	f(topology.KaryTreeSpec{K: 5, N: 3}, 5, 1./5)
	// three of four flows share a link, one has its own
	f(topology.KaryTreeSpec{K: 4, N: 2}, 3, 1./2)
	f(topology.KaryTreeSpec{K: 3, N: 4}, 8, 2./9) // eight of nine share a link
	// tapered: two up-links for six hosts
	f(topology.FatTreeSpec{Radix: 8, Levels: 2, Hosts: 6}, 6, .2)
}

func destinationMod(t rapid.TB, top topology.Topology) routing.Function {
	t.Helper()
	a, err := routing.NewNCA(top.(*topology.XGFT), 1, routing.UpDestination)
	if err != nil {
		t.Fatal(err)
	}
	return a.(routing.Function)
}

// canMeet returns the maximum number of flows on an up-link of a switch at a level: one flow from
// each host below the switch, to another host for which routing selects that link.
func canMeet(tree *topology.XGFT, level int) int {
	below, classes := 1, max(tree.Ups(level), 1)
	for l := 1; l <= level; l++ {
		below *= tree.Children(l)
		if l < level {
			classes *= tree.Parents(l)
		}
	}
	return min(below, (tree.Graph().Hosts-below)/classes)
}

// TestWorstTree checks that the worst case of random trees is a permutation, and that the maximum
// number of flows on a link is the maximum possible at any level.
func TestWorstTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := topology.XGFTSpec{M: []int{rapid.IntRange(1, 5).Draw(t, "hosts")}, W: []int{1}, Width: []int{1}}
		for range rapid.IntRange(0, 3).Draw(t, "levels") {
			s.M = append(s.M, rapid.IntRange(1, 4).Draw(t, "m"))
			s.W = append(s.W, rapid.IntRange(1, 4).Draw(t, "w"))
			s.Width = append(s.Width, rapid.IntRange(1, 2).Draw(t, "width"))
		}
		top, err := s.Build(1)
		if err != nil {
			t.Fatal(err)
		}
		most, _ := worstLoad(t, top, destinationMod(t, top))
		tree := top.(*topology.XGFT)
		for level := 1; level < tree.Levels(); level++ {
			if can := canMeet(tree, level); most < can {
				t.Fatalf("%d flows meet, at level %d %d can", most, level, can)
			}
		}
	})
}

// TestWorstCaseOfSlimFly checks that every link on the cycles of the worst case carries the flows
// of two routers, which is the maximum possible.
func TestWorstCaseOfSlimFly(t *testing.T) {
	for _, s := range []topology.SlimFlySpec{{Q: 3, Hosts: 1}, {Q: 4, Hosts: 3}, {Q: 5, Hosts: 4}, {Q: 7, Hosts: 2}, {Q: 8, Hosts: 2}, {Q: 9, Hosts: 1}} {
		top, err := s.Build(1)
		if err != nil {
			t.Fatal(err)
		}
		a, err := routing.NewMinimal(top, "minimal", 2, routing.ChoiceFlow)
		if err != nil {
			t.Fatal(err)
		}
		most, accepted := worstLoad(t, top, a.(routing.Function))
		if want := 1 / float64(2*s.Hosts); most != 2*s.Hosts || math.Abs(accepted-want) > 1e-9 {
			t.Errorf(
				"q = %d: %d flows meet, a share of %v is accepted; want %d, %v",
				s.Q, most, accepted, 2*s.Hosts, want,
			)
		}
	}
}

// TestWorstCasesOfBlocks checks the worst case of hierarchies: hierarchy blocks send to each other
// as the hosts or routers of the outer topology do, each host to the host with the same index.
func TestWorstCasesOfBlocks(t *testing.T) {
	block := topology.FullSpec{Routers: 3, Hosts: 2}
	f := func(outer topology.Spec, to func(block int) (first, last int)) {
		t.Helper()
		top, err := topology.HierarchySpec{Block: block, Outer: outer}.Build(1)
		if err != nil {
			t.Fatal(err)
		}
		p, err := New(Spec{Name: "worst"}, top)
		if err != nil {
			t.Fatal(err)
		}
		for src := range hosts(top) {
			draws := drawsOf(1, int32(src), 0)
			dst := int(p.Destination(int32(src), &draws))
			if first, last := to(src / 6); dst/6 < first || dst/6 > last || dst%6 != src%6 {
				t.Errorf(
					"%+v: host %d of block %d sends to host %d of block %d",
					outer, src%6, src/6, dst%6, dst/6,
				)
			}
		}
	}
	f(
		topology.TorusSpec{Dims: []int{5, 3}},
		func(b int) (int, int) { n := (b%5+2)%5 + (b/5+1)%3*5; return n, n },
	)
	f(topology.FullSpec{Routers: 4}, func(b int) (int, int) { return (b + 1) % 4, (b + 1) % 4 })
	f(topology.DragonflySpec{A: 3, H: 1}, func(b int) (int, int) { n := (b/3 + 1) % 4 * 3; return n, n + 2 })
	f(topology.KaryTreeSpec{K: 2, N: 3}, func(int) (int, int) { return 0, 7 })
	f(
		topology.TorusSpec{Dims: []int{5}, Hosts: 2},
		func(b int) (int, int) { n := (b/2 + 2) % 5 * 2; return n + b%2, n + b%2 },
	)
}

// TestNoWorstCaseOfFiles checks that the error for a topology from a file suggests an alternative.
func TestNoWorstCaseOfFiles(t *testing.T) {
	top, err := topology.IrregularSpec{
		Names: []string{"a", "b"},
		Hosts: []int{1, 1},
		Edges: []topology.Edge{{A: 0, B: 1}},
	}.Build(1)
	if err != nil {
		t.Fatal(err)
	}
	var problem *Problem
	if _, err := New(Spec{Name: "worst"}, top); !errors.As(err, &problem) ||
		!strings.Contains(problem.Hint, "permutation") {
		t.Error(err)
	}
}

// permuted is a user-defined topology that defines its worst case.
type permuted struct{ *topology.Irregular }

func (permuted) WorstPermutation() []int32 { return []int32{1, 2, 0} }

// TestWorstCaseOfOwnTopology checks that the worst case of a user-defined topology is found through
// its interface.
func TestWorstCaseOfOwnTopology(t *testing.T) {
	line, err := topology.NewIrregular(topology.IrregularSpec{
		Names: []string{"a", "b"}, Hosts: []int{2, 1}, Edges: []topology.Edge{{A: 0, B: 1}},
	}, 1)
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(Spec{Name: "worst"}, permuted{line})
	if err != nil {
		t.Fatal(err)
	}
	for src, want := range []int32{1, 2, 0} {
		if dst := p.Destination(int32(src), nil); dst != want {
			t.Errorf("host %d sends to %d", src, dst)
		}
	}
}
