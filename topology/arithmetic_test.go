package topology_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"fabricast/topology"
)

// TestArrangements compares with the definitions of Hastings and others, for as
// many groups as can be.
func TestArrangements(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, h := number(t, "a", 1, 5), number(t, "h", 1, 4)
		kind := drawArrangement(t)
		d, err := topology.NewDragonfly(topology.DragonflySpec{P: 1, A: a, H: h, Arrangement: kind}, 1)
		if err != nil {
			t.Fatal(err)
		}
		g := a*h + 1
		for group := range g {
			for k := range a * h {
				want := map[topology.Arrangement]int{
					topology.Absolute:  k,
					topology.Relative:  (group + k + 1) % g,
					topology.Circulant: (group + k/2 + 1) % g,
				}[kind]
				switch {
				case kind == topology.Absolute && k >= group:
					want = k + 1
				case kind == topology.Circulant && k%2 == 1:
					want = (group - (k+1)/2 + g) % g
				}
				port := int(d.Graph().PortBase[group*a+k/h]) + d.GlobalPort(k%h)
				if got := d.Group(d.Graph().PeerRouter(port)); got != want {
					t.Fatalf(
						"%s, a=%d h=%d: port %d of group %d leads to %d, want %d",
						kind, a, h, k, group, got, want,
					)
				}
			}
		}
	})
}

// grouped is what both dragonflies have in common.
type grouped interface {
	topology.Topology
	Groups() int
	Group(router int) int
	GlobalLinks(group, other int) int
	GlobalLink(group, other, i int) (router, port int)
}

// TestGlobalLinks demands that every global link is found between its groups,
// that any two groups have one, and none many more than others.
func TestGlobalLinks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var d grouped
		if rapid.Bool().Draw(t, "plus") {
			d = drawDragonflyPlus(t).Topology.(*topology.DragonflyPlus)
		} else {
			d = drawDragonfly(t).Topology.(*topology.Dragonfly)
		}
		g, found := d.Graph(), map[string]bool{}
		least, most := 1<<30, 0
		for a := range d.Groups() {
			for b := range d.Groups() {
				if a == b {
					continue
				}
				n := d.GlobalLinks(a, b)
				least, most = min(least, n), max(most, n)
				for i := range n {
					router, port := d.GlobalLink(a, b, i)
					if peer := g.PeerRouter(int(g.PortBase[router]) + port); d.Group(router) != a ||
						peer < 0 ||
						d.Group(peer) != b {
						t.Fatalf(
							"link %d from group %d to %d leaves router %d by port %d to router %d",
							i, a, b, router, port, peer,
						)
					}
					found[fmt.Sprint(router, port)] = true
				}
			}
		}
		total := 0
		for p := range g.Ports {
			if g.Ports[p].Link == topology.LinkGlobal && g.Ports[p].Peer != topology.Unconnected {
				total++
			}
		}
		if d.Groups() > 1 && (least < 1 || most > least+1) || len(found) != total {
			t.Fatalf("%d to %d links between groups, %d of %d ends found", least, most, len(found), total)
		}
	})
}

// TestTreeArithmetic walks from random hosts up to common ancestors and down.
func TestTreeArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := drawXGFT(t).Topology.(*topology.XGFT)
		g := x.Graph()
		from, to := number(t, "from", 0, g.Hosts-1), number(t, "to", 0, g.Hosts-1)
		router, top := g.HostRouter(from), max(1, x.NearestCommon(from, to))
		if x.Level(router) != 1 {
			t.Fatalf("host %d is at level %d", from, x.Level(router))
		}
		for l := 1; l < top; l++ {
			if _, below := x.Below(router, to); below {
				t.Fatalf(
					"host %d is below level %d, its nearest common ancestors with host %d are at level %d",
					to, l, from, top,
				)
			}
			y, lane := number(t, "y", 0, x.Parents(l)-1), number(t, "lane", 0, x.Width(l)-1)
			parent := g.PeerRouter(int(g.PortBase[router]) + x.UpPort(l, y, lane))
			if parent != x.Parent(router, y) || x.Level(parent) != l+1 {
				t.Fatalf(
					"parent %d of router %d is %d of level %d, want %d",
					y, router, parent, x.Level(parent), x.Parent(router, y),
				)
			}
			router = parent
		}
		for l := top; l > 1; l-- {
			child, below := x.Below(router, to)
			if !below || child != x.HostDigit(to, l) {
				t.Fatalf("host %d is not below router %d of level %d", to, router, l)
			}
			down := g.PeerRouter(
				int(g.PortBase[router]) + x.DownPort(l, child, number(t, "lane", 0, x.Width(l-1)-1)),
			)
			if x.Child(down) != child {
				t.Fatalf("child %d of router %d says it is child %d", child, router, x.Child(down))
			}
			router = down
		}
		if router != g.HostRouter(to) {
			t.Fatalf("the way from host %d to host %d ends at router %d", from, to, router)
		}
	})
}

// TestHyperXArithmetic demands that ports lead where they say.
func TestHyperXArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHyperX(t).Topology.(*topology.HyperX)
		g := h.Graph()
		for r := range g.Routers {
			for d, k := range h.Dims() {
				own := h.Coord(r, d)
				for to := range k {
					if to == own {
						continue
					}
					lane := number(t, "lane", 0, h.Width(d)-1)
					port := h.Port(d, own, to, lane)
					peer := g.PeerRouter(int(g.PortBase[r]) + port)
					c, back := h.Toward(own, port)
					if h.Coord(peer, d) != to || c != to || back != lane || h.PortDim(port) != d {
						t.Fatalf("port %d of router %d leads to router %d", port, r, peer)
					}
				}
			}
		}
	})
}

// TestHierarchyArithmetic demands that external ports lead to the blocks to
// which the outer topology leads.
func TestHierarchyArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHierarchy(t).Topology.(*topology.Hierarchy)
		g, outer := h.Graph(), h.Outer().Graph()
		for r := range g.Routers {
			switch block, inner := h.Place(r); {
			case block >= 0 && h.Router(block, inner) != r, block < 0 && h.Switch(inner) != r:
				t.Fatalf("router %d has place %d, %d", r, block, inner)
			}
		}
		for b := range h.Blocks() {
			for e := range h.ExternalPorts() {
				router, port := h.Exit(b, e)
				peer := g.PeerRouter(int(g.PortBase[router]) + port)
				got, _ := h.Place(peer)
				want := -1
				if !h.Hosted() {
					want = outer.PeerRouter(int(outer.PortBase[b]) + e)
				} else if _, s := h.Place(peer); s != outer.HostRouter(b) {
					t.Fatalf("block %d is joined to switch %d, want %d", b, s, outer.HostRouter(b))
				}
				if peer < 0 {
					got = int(topology.Unconnected)
				}
				if got != want {
					t.Fatalf("external port %d of block %d leads to block %d, want %d", e, b, got, want)
				}
			}
		}
	})
}
