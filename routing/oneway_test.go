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

// TestOneWayLinks: on random networks in which some links lead one way, packets take the shortest paths in
// their direction, and nothing can deadlock.
func TestOneWayLinks(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(2, 7).Draw(rt, "routers")
		spec := topology.IrregularSpec{Names: make([]string, n), Hosts: make([]int, n)}
		for r := range n { // a ring, so every router reaches every other
			spec.Names[r], spec.Hosts[r] = string(rune('a'+r)), rapid.IntRange(1, 2).Draw(rt, "hosts")
			spec.Edges = append(spec.Edges, topology.Edge{A: r, B: (r + 1) % n, OneWay: n == 2 || rapid.Bool().Draw(rt, "one way")})
		}
		for range rapid.IntRange(0, 5).Draw(rt, "further") {
			a := rapid.IntRange(0, n-1).Draw(rt, "a")
			b := (a + rapid.IntRange(1, n-1).Draw(rt, "b")) % n
			spec.Edges = append(spec.Edges, topology.Edge{A: a, B: b, OneWay: rapid.Bool().Draw(rt, "one way")})
		}
		net, err := spec.Build(1)
		if err != nil {
			rt.Fatal(err)
		}
		for _, name := range []string{"shortest", "minimal", "dfsssp"} {
			make := map[string]func(topology.Topology, int) (routing.Algorithm, error){
				"shortest": shortest(routing.ClassesHop), "minimal": minimal(routing.ChoiceFlow), "dfsssp": dfsssp,
			}[name]
			a, vcs := withChannels(make, net)
			if a == nil {
				rt.Fatalf("%s does not fit %+v", name, spec)
			}
			if _, err := deadlock.Check(net.Graph(), a, deadlock.Options{VCs: vcs}); err != nil {
				rt.Fatalf("%s on %+v: %v", name, spec, err)
			}
			w := &walker{t: rt, name: name, graph: net.Graph(), algorithm: a, vcs: vcs}
			for src := range net.Graph().Hosts {
				for dst := range net.Graph().Hosts {
					routers, _ := w.walk(int32(src), int32(dst))
					if want := directedDistance(&spec, net.Graph().HostRouter(src), net.Graph().HostRouter(dst)); len(routers)-1 != want {
						rt.Fatalf("%s on %+v: %d links from host %d to %d, want %d", name, spec, len(routers)-1, src, dst, want)
					}
				}
			}
		}
		var few *routing.TooFewVCsError
		if _, err := routing.NewUpDown(net.Graph(), 1, -1); net.Graph().OneWay() != (err != nil) || errors.As(err, &few) {
			rt.Fatalf("up-down: %v", err)
		}
	})
}

// directedDistance finds the distance between two routers by relaxing all links.
func directedDistance(s *topology.IrregularSpec, from, to int) int {
	far := make([]int, len(s.Names))
	for r := range far {
		far[r] = len(far)
	}
	far[from] = 0
	for range far {
		for _, e := range s.Edges {
			far[e.B] = min(far[e.B], far[e.A]+1)
			if !e.OneWay {
				far[e.A] = min(far[e.A], far[e.B]+1)
			}
		}
	}
	return far[to]
}

// TestNoWayBack: a network in which some router cannot reach another is refused.
func TestNoWayBack(t *testing.T) {
	net, err := topology.IrregularSpec{
		Names: []string{"a", "b"}, Hosts: []int{1, 1}, Edges: []topology.Edge{{A: 0, B: 1, OneWay: true}},
	}.Build(1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dfsssp(net, 4); err == nil || !strings.Contains(err.Error(), "no way leads from router 1 to router 0") {
		t.Errorf("%v", err)
	}
}
