package topology

import (
	"fmt"
	"slices"
	"strings"
)

// DragonflySpec describes a dragonfly with the letters of its authors.
type DragonflySpec struct {
	P           int         // hosts of a router; 0 where the routers only join others
	A           int         // routers of a group
	H           int         // global links of a router
	G           int         // groups; 0: as many as can be, A*H+1
	Arrangement Arrangement // of the global links; empty: Absolute
}

// Dragonfly is a network of groups of fully connected routers (Kim, Dally, Scott
// and Abts, ISCA 2008). Any two groups are joined by at least one global link,
// by several if there are fewer groups than there could be.
//
// Router r of group g is router g*a + r. Its local ports are a-1 to the other
// routers of the group in rising order, then h global ones, then those of the
// NICs of its p hosts.
type Dragonfly struct {
	p, a, h int
	globals
	graph *Graph
}

// NewDragonfly lays a dragonfly out, with a class of links within groups and one
// between them.
func NewDragonfly(s DragonflySpec, nicsPerHost int) (*Dragonfly, error) {
	if err := ready(s, nicsPerHost); err != nil {
		return nil, err
	}
	s = s.full()
	d := &Dragonfly{p: s.P, a: s.A, h: s.H, globals: newGlobals(s.Arrangement, s.G, s.A*s.H)}
	d.graph = wiring{
		routers: s.G * s.A, nics: nicsPerHost,
		degree: func(int) (int, int) { return d.a - 1 + d.h, d.p },
		far:    d.far,
	}.layOut()
	return d, nil
}

// full fills in the defaults.
func (s DragonflySpec) full() DragonflySpec {
	if s.G == 0 {
		s.G = product(s.A, s.H) + 1
	}
	if s.Arrangement == "" {
		s.Arrangement = Absolute
	}
	return s
}

// Check implements Spec.
func (s DragonflySpec) Check() []Mistake {
	var c checker
	joined := checkJoined(&c, s.G, s.H)
	s = s.full()
	right := c.count("p", s.P, 0)
	right = c.count("a", s.A, 1) && right
	right = joined && c.count("h", s.H, 0) && right
	right = checkArrangement(&c, s.Arrangement) && right
	if !right || !c.fits("a", s.A, s.Size()) {
		return c.mistakes
	}
	checkGroups(&c, s.G, "a", s.A, s.H)
	return c.mistakes
}

// checkJoined demands global links of a router, unless there is to be one group.
func checkJoined(c *checker, g, h int) bool {
	return c.hint(h > 0 || h == 0 && g == 1, "h", h, "at least 1 global link of a router", "g: 1 is one group without any")
}

// checkGroups demands no more groups than can have a link to each other, with so many routers
// of a group (the field `of`) that have h global links each.
func checkGroups(c *checker, g int, of string, routers, h int) {
	most := routers*h + 1
	c.hint(g >= 1 && g <= most, "g", g, fmt.Sprintf("1 to %d groups: %s*h+1, one for each of the %d global links of a group and itself", most, of, most-1),
		fmt.Sprintf("the nearest is %d; or h = %d", min(max(g, 1), most), max(1, (g-2+routers)/routers)))
}

func checkArrangement(c *checker, a Arrangement) bool {
	return c.demand(slices.Contains(Arrangements, string(a)), "arrangement", a, "one of "+strings.Join(Arrangements, ", "))
}

// Size implements Spec.
func (s DragonflySpec) Size() Size {
	s = s.full()
	routers := product(max(s.G, 0), s.A)
	return Size{Routers: routers, Hosts: product(max(routers, 0), s.P), Links: product(max(routers, 0), s.A-1+s.H)}
}

// Build implements Spec.
func (s DragonflySpec) Build(nics int) (Topology, error) { return NewDragonfly(s, nics) }

// far is the other end of a port.
func (d *Dragonfly) far(router, p int) (peer, peerPort int, class uint16) {
	group, r := router/d.a, router%d.a
	if p < d.a-1 {
		if p >= r {
			p++
		}
		return group*d.a + p, d.LocalPort(p, r), LinkRouter
	}
	other, k := d.globals.far(group, r*d.h+p-(d.a-1))
	if other == int(Unconnected) {
		return other, 0, LinkGlobal
	}
	return other*d.a + k/d.h, d.a - 1 + k%d.h, LinkGlobal
}

// LinkGlobal is the class of the links between the groups of dragonflies.
const LinkGlobal uint16 = 2

// Kind is "dragonfly".
func (d *Dragonfly) Kind() string { return "dragonfly" }

// Graph returns the network.
func (d *Dragonfly) Graph() *Graph { return d.graph }

// LinkClasses are "local", "host" and "global".
func (d *Dragonfly) LinkClasses() []string { return []string{"local", "host", "global"} }

// Hosts is p, the number of hosts of each router; host h is at router h / Hosts.
func (d *Dragonfly) Hosts() int { return d.p }

// GroupSize is a, the number of routers of a group.
func (d *Dragonfly) GroupSize() int { return d.a }

// Groups is g.
func (d *Dragonfly) Groups() int { return d.groups }

// Arrangement is that of the global links.
func (d *Dragonfly) Arrangement() Arrangement { return d.arrangement }

// Group is the group of a router.
func (d *Dragonfly) Group(router int) int { return router / d.a }

// LocalPort is the local port of router r of a group to router to of the same
// group, both numbered within the group.
func (d *Dragonfly) LocalPort(r, to int) int {
	if to > r {
		return to - 1
	}
	return to
}

// GlobalPort is the local port of a router's ith global link.
func (d *Dragonfly) GlobalPort(i int) int { return d.a - 1 + i }

// FirstNIC is the local port of a router's first NIC.
func (d *Dragonfly) FirstNIC() int { return d.a - 1 + d.h }

// GlobalLinks counts the links between two different groups.
func (d *Dragonfly) GlobalLinks(group, other int) int { return d.links(group, other) }

// GlobalLink is the router (its number in the network) and the local port of
// the ith link from a group to another.
func (d *Dragonfly) GlobalLink(group, other, i int) (router, port int) {
	k := d.link(group, other, i)
	return group*d.a + k/d.h, d.GlobalPort(k % d.h)
}

// RouterName is "g2.r3": router 3 of group 2.
func (d *Dragonfly) RouterName(router int) string {
	return fmt.Sprintf("g%d.r%d", router/d.a, router%d.a)
}

// PortName is "local3" for the port to router 3 of the group, "global0" for
// the first global port.
func (d *Dragonfly) PortName(router, port int) string {
	switch {
	case port >= d.FirstNIC():
		return nicName(port-d.FirstNIC(), d.p, d.graph.NICsPerHost)
	case port >= d.a-1:
		return fmt.Sprintf("global%d", port-(d.a-1))
	case port >= router%d.a:
		port++
	}
	return fmt.Sprintf("local%d", port)
}

// Distance is the least number of links between two hosts. Minimal routing of a
// dragonfly may take one more: it goes over one global link only, this counts
// two in a row where they are the shorter way.
func (d *Dragonfly) Distance(a, b int) int {
	from, to := a/d.p, b/d.p
	switch {
	case from == to:
		return 0
	case d.Group(from) == d.Group(to):
		return 1
	}
	near := d.neighbours(from)
	best := 3 // local, global, local
	for _, n := range near {
		switch {
		case n == to:
			return 1
		case n >= 0 && d.Group(n) == d.Group(to):
			best = 2 // global, local
		}
	}
	for _, n := range d.neighbours(to) {
		if n >= 0 && (d.Group(n) == d.Group(from) || slices.Contains(near, n)) {
			best = 2 // local, global; or two global ones
		}
	}
	return best
}

// neighbours are the routers at the ends of a router's global links, Unconnected for open ones.
func (d *Dragonfly) neighbours(router int) []int {
	first := int(d.graph.PortBase[router]) + d.a - 1
	list := make([]int, d.h)
	for i := range list {
		list[i] = d.graph.PeerRouter(first + i)
	}
	return list
}
