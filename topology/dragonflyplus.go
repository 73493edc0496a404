package topology

import "fmt"

var _ = Register(90, Description[DragonflyPlusSpec]{
	Name: "dragonfly+", Summary: "groups that are fat trees of two levels, all joined",
	Routing:  "minimal",
	Defaults: func(s *DragonflyPlusSpec, _ bool) { groupsDefault(&s.Arrangement, &s.G, s.Spines, s.H) },
	Sized: func(hosts int) DragonflyPlusSpec {
		p := 1
		for p*p*(p*p+1) < hosts {
			p++
		}
		return DragonflyPlusSpec{P: p, Leaves: p, Spines: p, H: p}
	},
	Help: map[string]string{
		"arrangement": arrangementHelp,
	},
	Manual: Manual{
		Section: "dragonfly-plus", Routers: "(L + S) g", Hosts: "p L g", Links: "S; L + h",
		Diameter: "3 between hosts",
	},
	Examples: []string{
		"p: 2, leaves: 2, spines: 2, h: 2",
		"p: 1, leaves: 3, spines: 2, h: 1, arrangement: relative",
	},
})

// DragonflyPlusSpec holds the parameters of a dragonfly+.
type DragonflyPlusSpec struct {
	// hosts per leaf router
	P int `yaml:"p" help:"hosts of a leaf"`
	// leaf routers per group
	Leaves int `yaml:"leaves" help:"leaves of a group"`
	// spine routers per group
	Spines int `yaml:"spines" help:"spines of a group"`
	// global links per spine router
	H int `yaml:"h" help:"global links of a spine"`
	// number of groups; 0: the maximum, Spines*H+1
	G int `yaml:"g" help:"groups" default:"as many as can be"`
	// arrangement of the global links; empty: Absolute
	Arrangement Arrangement `yaml:"arrangement" default:"'absolute'"`
}

// DragonflyPlus is a network of groups, each a fat tree of two levels, whose spine routers are
// connected by global links (Shpiner, Haramaty, Eliad, Zdornov, Gafni and Zahavi, HiPINEB 2017).
//
// The routers of a group have consecutive IDs, leaves first. The local ports of a leaf lead first
// to the spines, then to the NICs. Those of a spine lead first to the leaves, then over its global
// links.
type DragonflyPlus struct {
	p, leaves, spines, h int
	globals
	graph *Graph
}

// NewDragonflyPlus builds the dragonfly+ that s describes, with one link class within groups and
// one between groups. It returns an error if s is invalid.
func NewDragonflyPlus(s DragonflyPlusSpec, nicsPerHost int) (*DragonflyPlus, error) {
	if err := ready(s, nicsPerHost); err != nil {
		return nil, err
	}
	s = s.full()
	d := &DragonflyPlus{
		p:       s.P,
		leaves:  s.Leaves,
		spines:  s.Spines,
		h:       s.H,
		globals: newGlobals(s.Arrangement, s.G, s.Spines*s.H),
	}
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

// Kind returns "dragonfly+".
func (d *DragonflyPlus) Kind() string { return "dragonfly+" }

// Graph returns the network.
func (d *DragonflyPlus) Graph() *Graph { return d.graph }

// Hosts returns the number p of hosts of each leaf. Host h is at leaf h / p, where leaves are
// counted through all groups.
func (d *DragonflyPlus) Hosts() int { return d.p }

// Leaves returns the number of leaf routers of a group.
func (d *DragonflyPlus) Leaves() int { return d.leaves }

// Spines returns the number of spine routers of a group.
func (d *DragonflyPlus) Spines() int { return d.spines }

// GroupSize returns the number of routers of a group.
func (d *DragonflyPlus) GroupSize() int { return d.leaves + d.spines }

// Group returns the group of a router.
func (d *DragonflyPlus) Group(router int) int { return router / d.GroupSize() }

// IsLeaf reports whether a router is a leaf. The others are spines.
func (d *DragonflyPlus) IsLeaf(router int) bool { return router%d.GroupSize() < d.leaves }

// Leaf returns the router ID of a group's i-th leaf.
func (d *DragonflyPlus) Leaf(group, i int) int { return group*d.GroupSize() + i }

// Spine returns the router ID of a group's i-th spine.
func (d *DragonflyPlus) Spine(group, i int) int { return group*d.GroupSize() + d.leaves + i }

// GlobalPort returns the local port of a spine's i-th global link. Port i of a leaf leads to spine
// i, and port i of a spine to leaf i.
func (d *DragonflyPlus) GlobalPort(i int) int { return d.leaves + i }

// GlobalLink returns the spine (by its number in the network) and the local port of the i-th link
// from a group to another.
func (d *DragonflyPlus) GlobalLink(group, other, i int) (router, port int) {
	k := d.link(group, other, i)
	return d.Spine(group, k/d.h), d.GlobalPort(k % d.h)
}

// RouterName returns "g2.leaf3" for leaf 3 of group 2, or "g2.spine0".
func (d *DragonflyPlus) RouterName(router int) string {
	r := router % d.GroupSize()
	if r < d.leaves {
		return fmt.Sprintf("g%d.leaf%d", d.Group(router), r)
	}
	return fmt.Sprintf("g%d.spine%d", d.Group(router), r-d.leaves)
}

// PortName returns "spine0" on leaves; "leaf3" or "global0" on spines.
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

// Distance returns the minimum number of links between the leaves of two hosts: 2 within a group,
// and 3 between groups, because every spine of a group is one link away from each of its leaves.
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

// Shape implements Shaped.
func (d *DragonflyPlus) Shape() Shape {
	return GroupRing{Groups: d.groups, Size: d.GroupSize(), Outer: d.leaves}
}

// Representatives implements Symmetric.
func (d *DragonflyPlus) Representatives() int { return d.GroupSize() }

// WorstGroup implements WorstInGroups: the worst case is a group sending to the next group (Shpiner
// et al., HiPINEB 2017).
func (d *DragonflyPlus) WorstGroup() (hosts, routers int) { return d.p * d.leaves, 0 }
