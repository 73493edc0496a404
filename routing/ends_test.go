package routing_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast/routing"
	"fabricast/routing/deadlock"
	"fabricast/topology"
)

// TestNodesForwardNothing: on random networks of nodes with links to several switches, packets take the
// shortest of the paths that pass no other node, and nothing can deadlock.
func TestNodesForwardNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		spec := drawNodes(rt)
		net, err := spec.Build(rapid.IntRange(1, 2).Draw(rt, "nics"))
		if err != nil {
			rt.Fatal(err)
		}
		g := net.Graph()
		for _, a := range algorithms {
			k := routing.FindKind(strings.Fields(a.name)[0])
			if !k.Fits(net) {
				continue
			}
			algorithm, vcs := withChannels(a.make, net)
			if algorithm == nil {
				rt.Fatalf("%s does not fit %+v", a.name, spec)
			}
			if _, err := deadlock.Check(g, algorithm, deadlock.Options{VCs: vcs}); err != nil {
				rt.Fatalf("%s on %+v: %v", a.name, spec, err)
			}
			w := &walker{t: rt, name: a.name, graph: g, algorithm: algorithm, vcs: vcs}
			for src := range g.Hosts {
				for dst := range g.Hosts {
					routers, _ := w.walk(int32(src*g.NICsPerHost), int32(dst*g.NICsPerHost))
					for _, r := range routers[1:max(1, len(routers)-1)] {
						if spec.Ends[r] {
							rt.Fatalf("%s on %+v: from host %d to %d by node %d", a.name, spec, src, dst, r)
						}
					}
					want := distanceAround(&spec, g.HostRouter(src), g.HostRouter(dst))
					if got := net.Distance(src, dst); got != want {
						rt.Fatalf("%+v: hosts %d and %d are %d links apart, want %d", spec, src, dst, got, want)
					}
					if a.factor == 1 && len(routers)-1 != want {
						rt.Fatalf("%s on %+v: %d links from host %d to %d, want %d", a.name, spec, len(routers)-1, src, dst, want)
					}
				}
			}
		}
		if !routing.FindKind("shortest").Fits(net) || routing.FindKind("valiant").Fits(net) {
			rt.Fatal("shortest paths should fit, detours should not")
		}
	})
}

// drawNodes draws switches in one piece, some with hosts, and nodes with one host and several links.
func drawNodes(t *rapid.T) topology.IrregularSpec {
	switches, nodes := rapid.IntRange(1, 6).Draw(t, "switches"), rapid.IntRange(1, 5).Draw(t, "nodes")
	var s topology.IrregularSpec
	for r := range switches + nodes {
		node := r >= switches
		hosts := 1
		if !node {
			hosts = rapid.IntRange(0, 2).Draw(t, "hosts")
		}
		s.Names, s.Hosts, s.Ends = append(s.Names, fmt.Sprint(r)), append(s.Hosts, hosts), append(s.Ends, node)
		switch {
		case node:
			for range rapid.IntRange(1, 3).Draw(t, "adapters") {
				s.Edges = append(s.Edges, topology.Edge{A: r, B: rapid.IntRange(0, switches-1).Draw(t, "switch")})
			}
		case r > 0:
			s.Edges = append(s.Edges, topology.Edge{A: r, B: rapid.IntRange(0, r-1).Draw(t, "parent")})
		}
	}
	if rapid.Bool().Draw(t, "nodes first") {
		n := len(s.Names) - 1
		slices.Reverse(s.Hosts)
		slices.Reverse(s.Ends)
		for i, e := range s.Edges {
			s.Edges[i].A, s.Edges[i].B = n-e.A, n-e.B
		}
	}
	return s
}

// distanceAround finds the distance between two routers that does not lead through nodes, by relaxing
// all links.
func distanceAround(s *topology.IrregularSpec, from, to int) int {
	far := make([]int, len(s.Names))
	for r := range far {
		far[r] = len(far)
	}
	far[from] = 0
	passes := func(r int) bool { return r == from || !s.Ends[r] }
	for range far {
		for _, e := range s.Edges {
			if passes(e.A) {
				far[e.B] = min(far[e.B], far[e.A]+1)
			}
			if passes(e.B) {
				far[e.A] = min(far[e.A], far[e.B]+1)
			}
		}
	}
	return far[to]
}
