package topology_test

import (
	"strings"
	"testing"

	"fabricast/topology"
)

// superPOD is NVIDIA's reference architecture of so many nodes in units of 32.
func superPOD(nodes, units int) topology.NodesSpec {
	return topology.NodesSpec{
		Count: nodes, Unit: 32, Planes: 1,
		Block: topology.XGFTSpec{M: []int{1, 8}, W: []int{1, 4}},
		Outer: topology.XGFTSpec{M: []int{32, 8 * units}, W: []int{1, 4 * units}, Width: []int{1, 8 / units}},
	}
}

// TestRails: NIC i of all nodes of a unit is at one leaf switch, and no other NIC is there, also if
// the last unit is not full.
func TestRails(t *testing.T) {
	built, err := superPOD(127, 4).Build(1)
	if err != nil {
		t.Fatal(err)
	}
	n, leaves := built.(*topology.Nodes), map[int]int{}
	for node := range 127 {
		for nic := range 8 {
			leaf, _, _ := n.Entry(node, nic)
			if name := n.RouterName(leaf); !strings.HasPrefix(name, "outer/1:") {
				t.Fatalf("NIC %d of node %d is at %s", nic, node, name)
			}
			if is, ok := leaves[leaf]; ok && is != node/32*8+nic {
				t.Fatalf("rails %d and %d meet at %s", is, node/32*8+nic, n.RouterName(leaf))
			}
			leaves[leaf] = node/32*8 + nic
		}
	}
	if len(leaves) != 32 {
		t.Errorf("%d leaf switches, want 32", len(leaves))
	}
}

// TestDualPlane: the two ports of a GPU lead to two planes that have no switch in common (HPN).
func TestDualPlane(t *testing.T) {
	built, err := topology.NodesSpec{
		Count: 128, Unit: 128, Planes: 2, NICs: 16,
		Block: topology.XGFTSpec{M: []int{1, 8}, W: []int{1, 4}},
		Outer: topology.XGFTSpec{M: []int{128, 8}, W: []int{1, 60}},
	}.Build(1)
	if err != nil {
		t.Fatal(err)
	}
	n := built.(*topology.Nodes)
	for gpu := range 8 {
		first, count := n.NICs(gpu)
		if first != 2*gpu || count != 2 {
			t.Fatalf("GPU %d has %d NICs from %d on", gpu, count, first)
		}
		for plane := range 2 {
			router, _, _ := n.Entry(5, first+plane)
			if name := n.RouterName(router); !strings.HasPrefix(name, "outer"+string(rune('0'+plane))+"/") {
				t.Errorf("port %d of GPU %d is at %s", plane, gpu, name)
			}
		}
	}
}

// TestNodesMistakes: what cannot be built is refused with the field and what would do.
func TestNodesMistakes(t *testing.T) {
	full := topology.FullSpec{Routers: 4, Hosts: 1}
	right := topology.NodesSpec{
		Count: 3, Unit: 2, Planes: 1, Block: full, Outer: topology.FullSpec{Routers: 1, Hosts: 16},
	}
	if m := right.Check(); len(m) > 0 {
		t.Fatal(&m[0])
	}
	f := func(change func(s *topology.NodesSpec), field, expected string) {
		t.Helper()
		s := right
		change(&s)
		m := s.Check()
		if len(m) != 1 || m[0].Field != field || !strings.HasPrefix(m[0].Expected, expected) {
			t.Errorf("%+v: %v", s, m)
		}
	}
	f(func(s *topology.NodesSpec) { s.Count = 5 }, "outer", "at least 24: ")
	f(func(s *topology.NodesSpec) { s.NICs = 3 }, "nics", "a multiple or a divisor of 4")
	f(func(s *topology.NodesSpec) { s.Planes = 3 }, "planes", "a divisor of 4")
	f(func(s *topology.NodesSpec) { s.Planes = 2 }, "pxn", "true")
	f(func(s *topology.NodesSpec) { s.Count = 0 }, "count", "a number of at least 1")
	f(func(s *topology.NodesSpec) { s.Unit = 0 }, "unit", "a number of at least 1")
	f(func(s *topology.NodesSpec) { s.Outer = nil }, "count", "1, since no outer topology")
	f(func(s *topology.NodesSpec) { s.Block = nil }, "block", "a topology")
	f(func(s *topology.NodesSpec) { s.Block = topology.FullSpec{Routers: 2} }, "block", "at least one host")
}
