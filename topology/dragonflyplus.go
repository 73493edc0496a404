package topology

import "fmt"

// DragonflyPlusSpec describes a dragonfly+.
type DragonflyPlusSpec struct {
	P           int         // hosts of a leaf router
	Leaves      int         // leaf routers of a group
	Spines      int         // spine routers of a group
	H           int         // global links of a spine router
	G           int         // groups; 0: as many as can be, Spines*H+1
	Arrangement Arrangement // of the global links; empty: Absolute
}

// DragonflyPlus is a network of groups that are fat trees of two levels, joined
// by global links between their spine routers (Shpiner, Haramaty, Eliad, Zdornov,
// Gafni and Zahavi, HiPINEB 2017).
//
// A group's routers are numbered one after the other, its leaves first. The
// local ports of a leaf are those to the spines, then those of the NICs; those of
// a spine are those to the leaves, then the global ones.
type DragonflyPlus struct {
	p, leaves, spines, h int
	globals
	graph *Graph
}

// NewDragonflyPlus lays a dragonfly+ out, with a class of links within groups
// and one between them.
func NewDragonflyPlus(s DragonflyPlusSpec, nicsPerHost int) (*DragonflyPlus, error) {
	if err := ready(s, nicsPerHost); err != nil {
		return nil, err
	}
	s = s.full()
	d := &DragonflyPlus{p: s.P, leaves: s.Leaves, spines: s.Spines, h: s.H, globals: newGlobals(s.Arrangement, s.G, s.Spines*s.H)}
	d.graph = wiring{routers: s.G * d.GroupSize(), nics: nicsPerHost, degree: d.degree, far: d.far}.layOut()
	return d, nil
}

func (s DragonflyPlusSpec) full() DragonflyPlusSpec {
	if s.G == 0 {
		s.G = product(s.Spines, s.H) + 1
	}
	if s.Arrangement == "" {
		s.Arrangement = Absolute
	}
	return s
}

// Check implements Spec.
func (s DragonflyPlusSpec) Check() []Mistake {
	var c checker
	joined := checkJoined(&c, s.G, s.H)
	s = s.full()
	right := c.count("p", s.P, 1)
	right = c.count("leaves", s.Leaves, 1) && right
	right = c.count("spines", s.Spines, 1) && right
	right = joined && c.count("h", s.H, 0) && right
	right = checkArrangement(&c, s.Arrangement) && right
	if !right || !c.fits("leaves", s.Leaves, s.Size()) {
		return c.mistakes
	}
	checkGroups(&c, s.G, "spines", s.Spines, s.H)
	return c.mistakes
}

// Size implements Spec.
func (s DragonflyPlusSpec) Size() Size {
	s = s.full()
	group := product(s.Leaves, s.Spines, 2)
	if group >= 0 {
		group += product(s.Spines, s.H)
	}
	return Size{
		Routers: product(max(s.G, 0), s.Leaves+s.Spines),
		Hosts:   product(max(s.G, 0), s.Leaves, s.P),
		Links:   product(max(s.G, 0), group),
	}
}

// Build implements Spec.
func (s DragonflyPlusSpec) Build(nics int) (Topology, error) { return NewDragonflyPlus(s, nics) }

func (d *DragonflyPlus) degree(r int) (links, hosts int) {
	if d.IsLeaf(r) {
		return d.spines, d.p
	}
	return d.leaves + d.h, 0
}

func (d *DragonflyPlus) far(router, p int) (peer, peerPort int, class uint16) {
	group, r := d.Group(router), router%d.GroupSize()
	first := group * d.GroupSize()
	switch {
	case r < d.leaves:
		return first + d.leaves + p, r, LinkRouter
	case p < d.leaves:
		return first + p, r - d.leaves, LinkRouter
	}
	other, k := d.globals.far(group, (r-d.leaves)*d.h+p-d.leaves)
	if other == int(Unconnected) {
		return other, 0, LinkGlobal
	}
	return d.Spine(other, k/d.h), d.GlobalPort(k % d.h), LinkGlobal
}

// Kind is "dragonfly+".
func (d *DragonflyPlus) Kind() string { return "dragonfly+" }

// Graph returns the network.
func (d *DragonflyPlus) Graph() *Graph { return d.graph }

// LinkClasses are "local", "host" and "global".
func (d *DragonflyPlus) LinkClasses() []string { return []string{"local", "host", "global"} }

// Hosts is the number of hosts of each leaf; host h is at leaf h / Hosts, counted through all groups.
func (d *DragonflyPlus) Hosts() int { return d.p }

// Leaves is the number of leaf routers of a group.
func (d *DragonflyPlus) Leaves() int { return d.leaves }

// Spines is the number of spine routers of a group.
func (d *DragonflyPlus) Spines() int { return d.spines }

// GroupSize is the number of routers of a group.
func (d *DragonflyPlus) GroupSize() int { return d.leaves + d.spines }

// Groups is the number of groups.
func (d *DragonflyPlus) Groups() int { return d.groups }

// Group is the group of a router.
func (d *DragonflyPlus) Group(router int) int { return router / d.GroupSize() }

// IsLeaf tells whether a router is a leaf; the others are spines.
func (d *DragonflyPlus) IsLeaf(router int) bool { return router%d.GroupSize() < d.leaves }

// Leaf is the number of a group's ith leaf.
func (d *DragonflyPlus) Leaf(group, i int) int { return group*d.GroupSize() + i }

// Spine is the number of a group's ith spine.
func (d *DragonflyPlus) Spine(group, i int) int { return group*d.GroupSize() + d.leaves + i }

// GlobalPort is the local port of a spine's ith global link. The port of a leaf to
// the ith spine, and of a spine to the ith leaf, is i.
func (d *DragonflyPlus) GlobalPort(i int) int { return d.leaves + i }

// GlobalLinks counts the links between two different groups.
func (d *DragonflyPlus) GlobalLinks(group, other int) int { return d.links(group, other) }

// GlobalLink is the spine (its number in the network) and the local port of the
// ith link from a group to another.
func (d *DragonflyPlus) GlobalLink(group, other, i int) (router, port int) {
	k := d.link(group, other, i)
	return d.Spine(group, k/d.h), d.GlobalPort(k % d.h)
}

// RouterName is "g2.leaf3" or "g2.spine0".
func (d *DragonflyPlus) RouterName(router int) string {
	r := router % d.GroupSize()
	if r < d.leaves {
		return fmt.Sprintf("g%d.leaf%d", d.Group(router), r)
	}
	return fmt.Sprintf("g%d.spine%d", d.Group(router), r-d.leaves)
}

// PortName is "spine0" on leaves, "leaf3" or "global0" on spines.
func (d *DragonflyPlus) PortName(router, port int) string {
	switch {
	case d.IsLeaf(router) && port < d.spines:
		return fmt.Sprintf("spine%d", port)
	case d.IsLeaf(router):
		return nicName(port-d.spines, d.p, d.graph.NICsPerHost)
	case port < d.leaves:
		return fmt.Sprintf("leaf%d", port)
	default:
		return fmt.Sprintf("global%d", port-d.leaves)
	}
}

// Distance is 2 within a group, 3 between groups if their spines are joined
// directly: from any leaf every spine is one link away.
func (d *DragonflyPlus) Distance(a, b int) int {
	a, b = a/d.p, b/d.p
	switch {
	case a == b:
		return 0
	case a/d.leaves == b/d.leaves:
		return 2
	default:
		return 3
	}
}
