package routing_test

import (
	"strings"
	"testing"

	"fabricast/routing"
	"fabricast/topology"
)

// TestSourceVectors: routes are in the headers where they fit, in a table where not.
func TestSourceVectors(t *testing.T) {
	f := func(spec topology.Spec, vectors bool) {
		t.Helper()
		net, err := spec.Build(1)
		if err != nil {
			t.Fatal(err)
		}
		s, err := source(minimal(routing.ChoiceFlow))(net, 2)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.(*routing.Source).Vectors(); got != vectors {
			t.Errorf("vectors: %v", got)
		}
	}
	f(torus, true)
	f(topology.TorusSpec{Dims: []int{60}, Hosts: 1}, false)
}

// TestSourceFile: a route from a file is taken as it is written.
func TestSourceFile(t *testing.T) {
	net, err := topology.TorusSpec{Dims: []int{5}, Hosts: 1}.Build(1)
	if err != nil {
		t.Fatal(err)
	}
	of, err := routing.NewMinimal(net, "minimal", 2, routing.ChoiceFlow)
	if err != nil {
		t.Fatal(err)
	}
	s, err := routing.NewSource(
		net.Graph(), 2, of.(routing.Function),
		strings.NewReader("# the long way\n0 1 1/1 1/0 1/0 1/0\n"),
	)
	if err != nil {
		t.Fatal(err)
	}
	w := &walker{t: t, name: "file", graph: net.Graph(), algorithm: s, vcs: 2}
	routers, steps := w.walk(0, 1)
	if len(routers) != 5 || steps[0].VC != 1 || steps[1].VC != 0 {
		t.Errorf("routers %v, steps %v", routers, steps)
	}
	if routers, _ := w.walk(1, 0); len(routers) != 2 {
		t.Errorf("the other way by %v", routers)
	}
}

// TestForwarding: packets follow the tables, and the check for deadlock sees what they do.
func TestForwarding(t *testing.T) {
	net, err := topology.TorusSpec{Dims: []int{3}, Hosts: 1}.Build(1)
	if err != nil {
		t.Fatal(err)
	}
	a, err := routing.NewForwarding(net.Graph(), 2, strings.NewReader("0 * 0\n1 * 0\n2 * 0\n2 1 1/1\n"))
	if err != nil {
		t.Fatal(err)
	}
	w := &walker{t: t, name: "table", graph: net.Graph(), algorithm: a, vcs: 2}
	if routers, _ := w.walk(0, 2); len(routers) != 3 {
		t.Errorf("from 0 to 2 by %v", routers)
	}
	if routers, steps := w.walk(2, 1); len(routers) != 2 || steps[0].VC != 1 {
		t.Errorf("from 2 to 1 by %v, %v", routers, steps)
	}
}
