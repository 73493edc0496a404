package networks

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast"
	"fabricast/routing"
	"fabricast/routing/deadlock"
	"fabricast/topology"
)

// squeezed has all channels of an algorithm in one, as if there were no datelines.
type squeezed struct{ routing.Function }

func (s squeezed) Start(src, dst int32) (uint64, uint8) {
	header, _ := s.Function.Start(src, dst)
	return header, 0
}

func (s squeezed) Next(router int32, header uint64) (port, vc uint16, next uint64) {
	port, _, next = s.Function.Next(router, header)
	return port, 0, next
}

// TestSmallerToriHaveTheSameCircles holds what checks of large tori rest on: whether there is a
// circle is the same with rings of 4 and 5 routers in place of longer ones, with datelines and
// without. (Without them and with ties that go both ways a ring of 4 may lack a route that a longer
// one has.)
func TestSmallerToriHaveTheSameCircles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := topology.TorusSpec{Hosts: 1}
		for range rapid.IntRange(1, 2).Draw(t, "dimensions") {
			spec.Dims = append(spec.Dims, rapid.IntRange(2, 11).Draw(t, "k"))
			spec.Wrap = append(spec.Wrap, rapid.Bool().Draw(t, "ring"))
		}
		small := topology.TorusSpec{Hosts: 1, Wrap: spec.Wrap}
		for _, k := range spec.Dims {
			small.Dims = append(small.Dims, min(k, 4+k%2))
		}
		tie := rapid.SampledFrom([]routing.Tie{routing.TieUp, routing.TieSplit}).Draw(t, "tie")
		one := tie == routing.TieUp && rapid.Bool().Draw(t, "one channel")
		scheme := rapid.SampledFrom([]routing.Dateline{routing.DatelineBalanced, routing.DatelineClassic, routing.DatelineAhead}).
			Draw(t, "dateline")
		circle := func(s topology.TorusSpec) bool {
			torus, err := topology.NewTorusOf(s, 1)
			if err != nil {
				t.Fatal(err)
			}
			dor, err := routing.NewDORScheme(
				torus,
				2,
				tie,
				0,
				routing.ChoiceFlow,
				routing.Scheme{Dateline: scheme},
			)
			if err != nil {
				t.Fatal(err)
			}
			algorithm := dor.(routing.Function)
			if one {
				algorithm = squeezed{algorithm}
			}
			_, err = deadlock.Check(torus.Graph(), algorithm, deadlock.Options{VCs: 2})
			return err != nil
		}
		if large, reduced := circle(spec), circle(small); large != reduced || large && !one {
			t.Errorf("%+v: a circle %v, in place of it %v: %v", spec, large, small.Dims, reduced)
		}
	})
}

// TestRoutesOfRoutersAreCheckedThemselves: where routes name routers, a smaller torus does not do.
func TestRoutesOfRoutersAreCheckedThemselves(t *testing.T) {
	for root, smaller := range map[string]bool{"middle": true, "300": false} {
		e, err := fabricast.Parse(
			"x.yaml",
			fmt.Sprintf(
				"network: {topology: {dims: [18, 18]}, routing: {algorithm: up-down, root: %s}}\nworkload: {program: barrier}\n",
				root,
			),
		)
		if err != nil {
			t.Fatal(err)
		}
		p, err := e.Preview()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(p.Deadlock, "free of deadlock") ||
			strings.Contains(p.Deadlock, "4x4") != smaller {
			t.Errorf("root %s: %s", root, p.Deadlock)
		}
	}
}

// TestCirclesHaveTheNamesOfTheirNetwork: a circle that was found on a smaller torus is on that one,
// link by link.
func TestCirclesHaveTheNamesOfTheirNetwork(t *testing.T) {
	f := func(network, want string) {
		t.Helper()
		e, err := fabricast.Parse("x.yaml", "network: "+network+"\nworkload: {program: barrier}\n")
		if err != nil {
			t.Fatal(err)
		}
		if _, err = e.Preview(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nexpected %s", err, want)
		}
	}
	f(
		"{topology: {dims: [17, 17]}, routing: {algorithm: shortest, classes: none}}",
		"the cycle: router (0,0) port +y VC 0 -> router (0,1) port +x VC 0 -> router (1,1) port -y VC 0 -> router (1,0) port -x VC 0 -> router (0,0) port +y VC 0, on a torus of 5x5",
	)
	f("{topology: {dims: [40]}, router: {vcs: 1}}", "expected at least 2 (with fewer")
	f(
		"{topology: {dims: [5]}, router: {vcs: 1}}",
		"a cycle with 1: router (0) port -x VC 0 -> router (4) port -x VC 0 -> router (3) port -x VC 0 -> router (2) port -x VC 0 -> router (1) port -x VC 0 -> router (0)",
	)
	f(
		"{topology: {kind: dragonfly, p: 2, a: 4, h: 2}, routing: par, router: {vcs: 3}}",
		"a cycle with 3: router g0.r0 port local1 VC 2 -> ",
	)
}

// TestSmallerHierarchiesHaveTheSameCircles: the same of tori and meshes of blocks, also if all
// classes are folded into one channel, except that rings of 4 may then lack a route that a longer
// one has.
func TestSmallerHierarchiesHaveTheSameCircles(t *testing.T) {
	blocks := []topology.Spec{
		topology.FullSpec{Routers: 3, Hosts: 1},
		topology.FullSpec{Routers: 4, Hosts: 1},
		topology.TorusSpec{Dims: []int{4}, Hosts: 1},
		topology.TorusSpec{Dims: []int{3}, Wrap: []bool{false}, Hosts: 1},
		topology.KaryTreeSpec{K: 2, N: 2},
	}
	rapid.Check(t, func(t *rapid.T) {
		outer, small := topology.TorusSpec{}, topology.TorusSpec{}
		even := false
		for range rapid.IntRange(1, 2).Draw(t, "dimensions") {
			k, ring := rapid.IntRange(3, 8).Draw(t, "k"), rapid.Bool().Draw(t, "ring")
			even = even || k%2 == 0 && ring
			outer.Dims, outer.Wrap = append(outer.Dims, k), append(outer.Wrap, ring)
			small.Dims, small.Wrap = append(small.Dims, min(k, 4+k%2)), append(small.Wrap, ring)
		}
		h, err := topology.NewHierarchy(
			topology.HierarchySpec{Block: rapid.SampledFrom(blocks).Draw(t, "block"), Outer: outer},
			1,
		)
		if err != nil {
			t.Skip(err)
		}
		s, err := h.Rejoined(small)
		if err != nil {
			t.Fatal(err)
		}
		fold := rapid.IntRange(0, 1).Draw(t, "fold")
		make := rapid.SampledFrom([]func(topology.Topology) (routing.Algorithm, error){
			func(t topology.Topology) (routing.Algorithm, error) {
				return routing.NewMinimal(t, "minimal", routing.MaxVCs, routing.ChoiceFlow)
			},
			func(t topology.Topology) (routing.Algorithm, error) { return routing.NewValiant(t, routing.MaxVCs) },
		}).Draw(t, "algorithm")
		circle := func(net topology.Topology) bool {
			algorithm, err := make(net)
			if err != nil {
				t.Skip(err)
			}
			report, err := deadlock.Check(
				net.Graph(),
				algorithm,
				deadlock.Options{VCs: routing.MaxVCs, Fold: fold},
			)
			if err == nil && !report.Whole() {
				t.Skip("not checked")
			}
			return err != nil
		}
		large, reduced := circle(h), circle(s)
		if large != reduced && (fold == 0 || !even || reduced) {
			t.Errorf(
				"outer %v %v, fold %d: a circle %v, in place of it %v",
				outer.Dims, outer.Wrap, fold, large, reduced,
			)
		}
		if large && fold == 0 {
			t.Errorf("outer %v %v: a circle", outer.Dims, outer.Wrap)
		}
	})
}

// TestLargeNetworksAreCheckedBySmallerOnes: what stands for a large network, and that all of its
// routes are checked.
func TestLargeNetworksAreCheckedBySmallerOnes(t *testing.T) {
	f := func(network, want string) {
		t.Helper()
		e, err := fabricast.Parse("x.yaml", "network: "+network+"\nworkload: {program: barrier}\n")
		if err != nil {
			t.Fatal(err)
		}
		p, err := e.Preview()
		if err != nil {
			t.Fatal(err)
		}
		if p.Deadlock != want {
			t.Errorf("%s\nexpected %s", p.Deadlock, want)
		}
	}
	f(
		"{topology: {kind: hierarchy, block: {kind: fully-connected, routers: 4, hosts: 2}, outer: {kind: torus, dims: [10, 8]}}}",
		"free of deadlock (checked on a torus of 4x4 blocks, which has the same cycles)",
	)
	f(
		"{topology: {kind: hierarchy, block: {kind: fully-connected, routers: 4, hosts: 2}, outer: {kind: mesh, dims: [9, 8]}}, routing: zone}",
		"free of deadlock, by escape channels (checked on a mesh of 5x4 blocks, which has the same cycles)",
	)
	f(
		"{topology: {kind: slim-fly, q: 67, hosts: 1}}",
		"free of deadlock (checked on a Slim Fly of order 7, which has the same cycles)",
	)
}
