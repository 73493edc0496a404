package routing_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast/routing"
	"fabricast/routing/deadlock"
	"fabricast/topology"
)

// drawSpec is a small network of any kind.
func drawSpec(t *rapid.T) topology.Spec {
	n := func(low, high int, name string) int { return rapid.IntRange(low, high).Draw(t, name) }
	list := func(low, high, most int, name string) []int {
		return rapid.SliceOfN(rapid.IntRange(low, high), 1, most).Draw(t, name)
	}
	switch n(0, 11, "kind") {
	case 0, 1:
		dims := list(1, 6, 3, "dims")
		wrap := rapid.SliceOfN(rapid.Bool(), len(dims), len(dims)).Draw(t, "wrap")
		return topology.TorusSpec{Dims: dims, Wrap: wrap, Hosts: n(1, 2, "hosts")}
	case 2:
		return topology.HyperXSpec{Dims: list(1, 4, 3, "dims"), Hosts: n(1, 2, "hosts")}
	case 3:
		return topology.FullSpec{
			Routers: n(1, 8, "routers"),
			Width:   []int{n(1, 2, "width")},
			Hosts:   n(1, 2, "hosts"),
		}
	case 4:
		levels := n(1, 3, "levels")
		s := topology.XGFTSpec{M: []int{n(1, 3, "m")}, W: []int{1}, Width: []int{1}}
		for range levels - 1 {
			s.M, s.W, s.Width = append(s.M, n(1, 4, "m")), append(
				s.W, n(1, 3, "w"),
			), append(s.Width, n(1, 2, "width"))
		}
		return s
	case 5:
		s := topology.DragonflySpec{P: n(1, 2, "p"), A: n(1, 4, "a"), H: n(1, 2, "h")}
		s.G = n(1, s.A*s.H+1, "g")
		s.Arrangement = topology.Arrangement(rapid.SampledFrom(topology.Arrangements).Draw(t, "arrangement"))
		return s
	case 6:
		s := topology.DragonflyPlusSpec{
			P:      n(1, 2, "p"),
			Leaves: n(1, 3, "leaves"),
			Spines: n(1, 2, "spines"),
			H:      n(1, 2, "h"),
		}
		s.G = n(1, s.Spines*s.H+1, "g")
		return s
	case 7:
		return topology.SlimFlySpec{Q: rapid.SampledFrom([]int{3, 4, 5}).Draw(t, "q"), Hosts: 1}
	case 8:
		dims := []int{n(2, 6, "k"), n(2, 6, "k"), n(2, 6, "k")}
		return topology.TwistedTorusSpec{
			Dims: dims, Hosts: 1, Twist: []topology.Twist{
				{Of: 0, Along: 2, By: n(1, dims[2]-1, "by")}, {Of: 1, Along: 2, By: n(1, dims[2]-1, "by")},
			},
		}
	case 9:
		return topology.HammingMeshSpec{
			Board: []int{n(1, 4, "a"), n(1, 3, "b")}, Boards: []int{n(1, 4, "x"), n(1, 3, "y")},
			Radix: rapid.SampledFrom([]int{4, 64}).Draw(t, "radix"),
		}
	case 10:
		return rapid.SampledFrom([]topology.Spec{
			rails, railsPXN, railOnly, dualPlane, dualToR, sharedNICs, alone,
		}).Draw(t, "nodes")
	}
	outer := topology.Spec(topology.TorusSpec{Dims: list(2, 4, 2, "outer")})
	switch n(0, 2, "outer") {
	case 1:
		outer = topology.HyperXSpec{Dims: list(2, 3, 2, "outer")}
	case 2:
		outer = topology.XGFTSpec{M: []int{2, n(1, 3, "m")}, W: []int{1, n(1, 2, "w")}}
	}
	block := topology.Spec(topology.FullSpec{Routers: n(1, 4, "block"), Hosts: 1})
	if rapid.Bool().Draw(t, "torus block") {
		block = topology.TorusSpec{Dims: list(2, 4, 2, "block"), Hosts: 1}
	}
	return topology.HierarchySpec{Block: block, Outer: outer}
}

// algorithms fit any topology, with the most links of a route in distances from
// router to router; 0 where there is none to be told.
var algorithms = []struct {
	name   string
	make   func(topology.Topology, int) (routing.Algorithm, error)
	factor int
}{
	{"minimal", minimal(routing.ChoiceFlow), 0},
	{"minimal queue", minimal(routing.ChoiceQueue), 0},
	{"shortest", shortest(routing.ClassesHop), 1},
	{"dfsssp", dfsssp, 1},
	{"up-down", upDown, 0},
	{"valiant", valiant, 0},
	{"ugal-l", ugalL, 0},
	{"ugal-g", ugalG, 0},
	{"adaptive", adaptive, 0},
	{"adaptive staying", staying, 0},
	{"zone", zone(), 0},
}

// TestAnyNetwork: on random networks, algorithms with the number of virtual
// channels that they ask for lead every packet to its destination, by shortest
// ways if they are minimal, and are free of deadlock.
func TestAnyNetwork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := drawSpec(t)
		net, err := spec.Build(rapid.IntRange(1, 2).Draw(t, "nics"))
		if err != nil {
			t.Fatalf("%+v: %v", spec, err)
		}
		g := net.Graph()
		_, ends := net.(topology.Endpoints)
		for _, a := range algorithms {
			if k := routing.FindKind(strings.Fields(a.name)[0]); ends && !k.Fits(net) {
				continue // it may lead through nodes
			}
			algorithm, err := a.make(net, 1)
			vcs := 1
			var few *routing.TooFewVCsError
			if errors.As(err, &few) && few.Need <= routing.MaxVCs {
				vcs = few.Need
				algorithm, err = a.make(net, vcs)
			}
			if err != nil {
				continue // it does not fit
			}
			if _, err := deadlock.Check(g, algorithm, deadlock.Options{VCs: vcs}); err != nil {
				t.Fatalf("%s on %+v: %v", a.name, spec, err)
			}
			w := &walker{
				t:         t,
				name:      a.name,
				graph:     g,
				algorithm: algorithm,
				vcs:       vcs,
				random:    rapid.Uint64().Draw(t, "random"),
			}
			for i := range 40 {
				src, dst := int32(w.next()%uint64(len(g.NICPort))), int32(w.next()%uint64(len(g.NICPort)))
				if i%8 == 0 {
					dst = src
				}
				_, steps := w.walk(src, dst)
				distance := net.Distance(int(src)/g.NICsPerHost, int(dst)/g.NICsPerHost)
				if links := len(steps) - 1; links < distance || a.factor > 0 && links > a.factor*distance {
					t.Fatalf(
						"%s on %+v: %d links from NIC %d to %d, at distance %d",
						a.name, spec, links, src, dst, distance,
					)
				}
			}
		}
	})
}

// spread counts what packets between two hosts do at one place of their route.
func spread(
	t *testing.T,
	spec topology.Spec,
	algorithm func(topology.Topology, int) (routing.Algorithm, error),
	vcs int,
	src, dst int32,
	hop int,
	packets int,
) map[uint16]int {
	t.Helper()
	c := combination{name: "spread", spec: spec, make: algorithm}
	net, a := c.build(t, vcs)
	w := &walker{t: t, name: "spread", graph: net.Graph(), algorithm: a, vcs: vcs}
	counts := map[uint16]int{}
	for range packets {
		_, steps := w.walk(src, dst)
		counts[steps[hop].Port]++
	}
	return counts
}

// TestChanceIsEven: what is drawn is drawn evenly among all there is.
func TestChanceIsEven(t *testing.T) {
	const packets = 8000
	f := func(counts map[uint16]int, kinds int) {
		t.Helper()
		if len(counts) != kinds {
			t.Errorf("%v are not %d kinds", counts, kinds)
		}
		for port, n := range counts {
			if want := packets / kinds; n < want*9/10 || n > want*11/10 {
				t.Errorf("port %d is taken %d times, not about %d: %v", port, n, want, counts)
			}
		}
	}
	wideTree := topology.XGFTSpec{M: []int{4, 4, 4}, W: []int{1, 4, 4}}
	f(spread(t, wideTree, nca(routing.UpRandom), 1, 0, 63, 0, packets), 4)
	f(spread(t, wideTree, nca(routing.UpRandom), 1, 0, 63, 1, packets), 4)
	// By each of the other routers, or (drawn as the router in between) the destination or the
	// source itself.
	counts := spread(t, topology.FullSpec{Routers: 8, Hosts: 1}, valiant, 2, 0, 7, 0, packets)
	if direct := counts[6]; direct < packets/5 || direct > packets*3/10 {
		t.Errorf("directly %d times of %d, expected a quarter", direct, packets)
	}
	delete(counts, 6)
	for port, n := range counts {
		if n < packets/9 || n > packets/7 {
			t.Errorf("by port %d %d times, expected an eighth of %d", port, n, packets)
		}
	}
}

// TestDestinationModK: on a full tree, a shift of all hosts loads every link up with exactly one
// flow, if the way up follows from the destination, or from the source (Zahavi 2012).
func TestDestinationModK(t *testing.T) {
	for _, up := range []routing.Up{routing.UpDestination, routing.UpSource} {
		c := combination{
			name: "nca",
			spec: topology.XGFTSpec{M: []int{4, 4, 4}, W: []int{1, 4, 4}},
			make: nca(up),
		}
		net, a := c.build(t, 1)
		g := net.Graph()
		w := &walker{t: t, name: "nca", graph: g, algorithm: a, vcs: 1}
		for shift := 1; shift < g.Hosts; shift++ {
			used := map[int32]bool{}
			for src := range int32(g.Hosts) {
				routers, steps := w.walk(src, (src+int32(shift))%int32(g.Hosts))
				for i, r := range routers {
					port := g.PortBase[r] + int32(steps[i].Port)
					if used[port] {
						t.Fatalf(
							"two flows of a shift by %d at port %d of router %d",
							shift, steps[i].Port, r,
						)
					}
					used[port] = true
				}
			}
		}
	}
}

// TestAdaptiveGoesMinimalWays: minimal adaptive routing takes no more links than minimal routing
// may, whatever the queues, and shortest paths where there are dimensions.
func TestAdaptiveGoesMinimalWays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		net, err := drawSpec(t).Build(1)
		if err != nil {
			t.Skip(err)
		}
		algorithm, vcs := withChannels(adaptive, net)
		straight, few := withChannels(minimal(routing.ChoiceQueue), net)
		if algorithm == nil || straight == nil {
			return
		}
		g, random := net.Graph(), rapid.Uint64().Draw(t, "random")
		w := &walker{t: t, name: "adaptive", graph: g, algorithm: algorithm, vcs: vcs, random: random}
		other := &walker{t: t, name: "minimal", graph: g, algorithm: straight, vcs: few, random: random}
		nic := rapid.Int32Range(0, int32(len(g.NICPort)-1))
		src, dst := nic.Draw(t, "src"), nic.Draw(t, "dst")
		if src == dst {
			return
		}
		longest, taken := 0, 0
		for range 60 {
			_, there := w.walk(src, dst)
			_, steps := other.walk(src, dst)
			taken, longest = max(taken, len(there)), max(longest, len(steps))
		}
		if taken > longest {
			t.Fatalf("%s: %d links, minimal routing takes %d", net.Kind(), taken-1, longest-1)
		}
	})
}
