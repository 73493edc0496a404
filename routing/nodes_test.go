package routing_test

import (
	"slices"
	"testing"

	"fabricast/routing"
	"fabricast/topology"
)

// TestNodesAreNotCrossed: routes between nodes touch no third one, and at the two ends only what
// they have to: the GPU itself without PXN; with it, what is on the way to the rail of the receiver,
// in the sender's node alone.
func TestNodesAreNotCrossed(t *testing.T) {
	for _, spec := range []topology.NodesSpec{
		rails, railsPXN, railOnly, dualPlane, dualToR, sharedNICs,
	} {
		c := combination{name: "nodes", spec: spec, make: minimal(routing.ChoiceQueue)}
		net, a := c.build(t, 2)
		nodes, g := net.(*topology.Nodes), net.Graph()
		w := &walker{t: t, name: "nodes", graph: g, algorithm: a, vcs: 2}
		for range 2000 {
			src, dst := int32(w.next()%uint64(g.Hosts)), int32(w.next()%uint64(g.Hosts))
			from, _ := nodes.Place(g.HostRouter(int(src)))
			to, own := nodes.Place(g.HostRouter(int(dst)))
			routers, _ := w.walk(src, dst)
			left := false
			for i, r := range routers {
				node, inner := nodes.Place(int(r))
				left = left || node < 0
				gpu := slices.Contains(nodes.GPUs(), int32(inner))
				switch {
				case node < 0 && from == to:
					t.Fatalf("%+v: from %d to %d by %s", spec, src, dst, net.RouterName(int(r)))
				case node >= 0 && !left && node != from, node >= 0 && left && node != to:
					t.Fatalf("%+v: from %d to %d by %s", spec, src, dst, net.RouterName(int(r)))
				case node >= 0 && left && gpu && inner != own:
					t.Fatalf("%+v: from %d to %d arrives at %s", spec, src, dst, net.RouterName(int(r)))
				case node >= 0 && !left && from != to && gpu && i > 0 && !spec.PXN:
					t.Fatalf("%+v: from %d to %d leaves by %s", spec, src, dst, net.RouterName(int(r)))
				}
			}
		}
	}
}

// TestPXN: with PXN packets leave by the receiver's rail, without it by the sender's.
func TestPXN(t *testing.T) {
	for _, spec := range []topology.NodesSpec{rails, railsPXN} {
		c := combination{name: "nodes", spec: spec, make: minimal(routing.ChoiceFlow)}
		net, a := c.build(t, 1)
		nodes, g := net.(*topology.Nodes), net.Graph()
		w := &walker{t: t, name: "nodes", graph: g, algorithm: a, vcs: 1}
		for src := range int32(g.Hosts) {
			for dst := range int32(g.Hosts) {
				if src/2 == dst/2 {
					continue
				}
				routers, _ := w.walk(src, dst)
				first := slices.IndexFunc(routers, func(r int32) bool { node, _ := nodes.Place(int(r)); return node < 0 })
				rail := src % 2
				if spec.PXN {
					rail = dst % 2
				}
				router, _, _ := nodes.Entry(int(src/2), int(rail))
				if int(routers[first]) != router {
					t.Errorf("pxn %t: from %d to %d by %s", spec.PXN, src, dst, net.RouterName(int(routers[first])))
				}
			}
		}
	}
}

// TestNodesRefuse: only algorithms that cross no nodes fit them.
func TestNodesRefuse(t *testing.T) {
	net, err := rails.Build(1)
	if err != nil {
		t.Fatal(err)
	}
	var fit []string
	for _, k := range routing.Kinds() {
		if k.Fits(net) {
			fit = append(fit, k.Name)
		}
	}
	if want := []string{"minimal", "table"}; !slices.Equal(fit, want) {
		t.Errorf("%v fit, want %v", fit, want)
	}
}

// TestNodesDestinationModK: a shift of the nodes, each GPU sending on its rail, loads every link of
// the outer tree with at most one flow.
func TestNodesDestinationModK(t *testing.T) {
	spec := topology.NodesSpec{
		Count: 8, Unit: 4, Planes: 1, Block: topology.XGFTSpec{M: []int{1, 4}, W: []int{1, 1}},
		Outer: topology.XGFTSpec{M: []int{4, 8}, W: []int{1, 2}, Width: []int{1, 2}},
	}
	c := combination{name: "nodes", spec: spec, make: minimal(routing.ChoiceFlow)}
	net, a := c.build(t, 1)
	g := net.Graph()
	w := &walker{t: t, name: "nodes", graph: g, algorithm: a, vcs: 1}
	for shift := 1; shift < spec.Count; shift++ {
		used := map[int32]bool{}
		for src := range int32(g.Hosts) {
			routers, steps := w.walk(src, (src+int32(4*shift))%int32(g.Hosts))
			for i, r := range routers {
				port := g.PortBase[r] + int32(steps[i].Port)
				if used[port] {
					t.Fatalf("two flows of a shift by %d at %s", shift, net.RouterName(int(r)))
				}
				used[port] = true
			}
		}
	}
}

// TestNodesAsBlocks: nodes with NICs of their own routers can be blocks of a hierarchy, which asks
// for distances from all routers of a block.
func TestNodesAsBlocks(t *testing.T) {
	block := sharedNICs
	block.Block = topology.FullSpec{Routers: 4, Hosts: 1}
	c := combination{
		name: "blocks", spec: topology.HierarchySpec{Block: block, Outer: topology.TorusSpec{Dims: []int{3}}},
		make: minimal(routing.ChoiceQueue),
	}
	net, a := c.build(t, routing.MaxVCs)
	g := net.Graph()
	w := &walker{t: t, name: c.name, graph: g, algorithm: a, vcs: routing.MaxVCs}
	for range 500 {
		w.walk(int32(w.next()%uint64(g.Hosts)), int32(w.next()%uint64(g.Hosts)))
	}
}
