package topology

import (
	"fmt"
	"slices"
	"strings"
)

var _ = Register(80, Description[DragonflySpec]{
	Name: "dragonfly", Summary: "groups of fully connected routers, all joined", Routing: "minimal",
	Defaults: func(s *DragonflySpec, _ bool) { groupsDefault(&s.Arrangement, &s.G, s.A, s.H) },
	// balanced: per router, half as many hosts and global links as there are routers per group
	Sized: func(hosts int) DragonflySpec {
		p := 1
		for 2*p*p*(2*p*p+1) < hosts {
			p++
		}
		return DragonflySpec{P: p, A: 2 * p, H: p}
	},
	Help: map[string]string{
		"arrangement": arrangementHelp,
	},
	Manual: Manual{
		Section: "dragonfly", Routers: "a g", Hosts: "p a g", Links: "a − 1 + h", Diameter: "3",
	},
	Examples: []string{"p: 1, a: 3, h: 1", "p: 2, a: 2, h: 2, g: 4, arrangement: circulant"},
})

// DragonflySpec holds the parameters of a dragonfly, named as in the paper by Kim et al.
type DragonflySpec struct {
	// hosts per router; 0 if the routers only connect blocks of a hierarchy
	P int `yaml:"p" help:"hosts of a router"`
	// routers per group
	A int `yaml:"a" help:"routers of a group"`
	// global links per router
	H int `yaml:"h" help:"global links of a router"`
	// number of groups; 0: the maximum, A*H+1
	G int `yaml:"g" help:"groups" default:"as many as can be"`
	// arrangement of the global links; empty: Absolute
	Arrangement Arrangement `yaml:"arrangement" default:"'absolute'"`
}

// groupsDefault sets the defaults of the arrangement and the number of groups. The default number
// of groups is the maximum for groups of the given number of routers with h global links each.
func groupsDefault(arrangement *Arrangement, g *int, routers, h int) {
	if *arrangement == "" {
		*arrangement = Absolute
	}
	if *g == 0 && routers > 0 && h > 0 && routers <= MaxHosts && h <= MaxHosts/routers {
		*g = routers*h + 1
	}
}

// Dragonfly is a network of groups of fully connected routers (Kim, Dally, Scott and Abts, ISCA
// 2008). Any two groups are connected by at least one global link, and by several if there are
// fewer groups than the maximum.
//
// Router r of group g has the ID g*a + r. Its local ports lead first to the a-1 other routers of
// the group, in ascending order, then over its h global links, then to the NICs of its p hosts.
type Dragonfly struct {
	p, a, h int
	globals
	graph *Graph
}

// NewDragonfly builds the dragonfly that s describes, with one link class within groups and one
// between groups. It returns an error if s is invalid.
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

// full returns the parameters with defaults filled in.
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

// checkJoined records a mistake if routers have no global links although there is more than one
// group. It reports whether h is valid.
func checkJoined(c *checker, g, h int) bool {
	return c.hint(
		h > 0 || h == 0 && g == 1, "h", h, "at least 1 global link of a router",
		"g: 1 is one group without any",
	)
}

// checkGroups records a mistake if there are too many groups for each to have a link to every
// other. A group has the given number of routers, with h global links each. In messages, these
// routers are called `of`.
func checkGroups(c *checker, g int, of string, routers, h int) {
	most := routers*h + 1
	c.hint(
		g >= 1 && g <= most,
		"g",
		g,
		fmt.Sprintf(
			"1 to %d groups: %s*h+1, one for each of the %d global links of a group and itself",
			most, of, most-1,
		),
		fmt.Sprintf("the nearest is %d; or h = %d", min(max(g, 1), most), max(1, (g-2+routers)/routers)),
	)
}

func checkArrangement(c *checker, a Arrangement) bool {
	return c.demand(
		slices.Contains(Arrangements, string(a)), "arrangement", a,
		"one of "+strings.Join(Arrangements, ", "),
	)
}

// Size implements Spec.
func (s DragonflySpec) Size() Size {
	s = s.full()
	routers := product(max(s.G, 0), s.A)
	return Size{
		Routers: routers,
		Hosts:   product(max(routers, 0), s.P),
		Links:   product(max(routers, 0), s.A-1+s.H),
	}
}

// Build implements Spec.
func (s DragonflySpec) Build(nics int) (Topology, error) { return NewDragonfly(s, nics) }

// far returns the router and port at the other end of port p, and the link's class.
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

// Kind returns "dragonfly".
func (d *Dragonfly) Kind() string { return "dragonfly" }

// Graph returns the network.
func (d *Dragonfly) Graph() *Graph { return d.graph }

// Hosts returns p, the number of hosts of each router. Host h is at router h / p.
func (d *Dragonfly) Hosts() int { return d.p }

// GroupSize returns a, the number of routers of a group.
func (d *Dragonfly) GroupSize() int { return d.a }

// Group returns the group of a router.
func (d *Dragonfly) Group(router int) int { return router / d.a }

// LocalPort returns the local port of router r that leads to router `to` of the same group. Both
// are indices within the group.
func (d *Dragonfly) LocalPort(r, to int) int {
	if to > r {
		return to - 1
	}
	return to
}

// GlobalPort returns the local port of a router's i-th global link.
func (d *Dragonfly) GlobalPort(i int) int { return d.a - 1 + i }

// FirstNIC returns the local port of a router's first NIC port.
func (d *Dragonfly) FirstNIC() int { return d.a - 1 + d.h }

// GlobalLink returns the router (by its number in the network) and the local port of the i-th link
// from a group to another.
func (d *Dragonfly) GlobalLink(group, other, i int) (router, port int) {
	k := d.link(group, other, i)
	return group*d.a + k/d.h, d.GlobalPort(k % d.h)
}

// RouterName returns the group and the router's index in it: "g2.r3".
func (d *Dragonfly) RouterName(router int) string {
	return fmt.Sprintf("g%d.r%d", router/d.a, router%d.a)
}

// PortName returns "local3" for the port to router 3 of the group, and "global0" for the first
// global port.
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

// Distance returns the minimum number of links between the routers of two hosts. This may be a path
// over two global links. Minimal routing uses only one global link, so its routes may be longer.
func (d *Dragonfly) Distance(a, b int) int {
	from, to := a/d.p, b/d.p
	switch {
	case from == to:
		return 0
	case d.Group(from) == d.Group(to):
		return 1
	}
	near := d.neighbours(from)
	best := 3 // a local, a global and a local link
	for _, n := range near {
		switch {
		case n == to:
			return 1
		case n >= 0 && d.Group(n) == d.Group(to):
			best = 2 // a global and a local link
		}
	}
	for _, n := range d.neighbours(to) {
		if n >= 0 && (d.Group(n) == d.Group(from) || slices.Contains(near, n)) {
			best = 2 // a local and a global link, or two global links
		}
	}
	return best
}

// neighbours returns the routers at the other ends of a router's global links, or Unconnected for
// open ports.
func (d *Dragonfly) neighbours(router int) []int {
	first := int(d.graph.PortBase[router]) + d.a - 1
	list := make([]int, d.h)
	for i := range list {
		list[i] = d.graph.PeerRouter(first + i)
	}
	return list
}

// Shape implements Shaped.
func (d *Dragonfly) Shape() Shape { return GroupRing{Groups: d.groups, Size: d.a} }

// Representatives implements Symmetric: groups are alike unless global links are arranged by the
// numbers of groups.
func (d *Dragonfly) Representatives() int {
	if d.arrangement == Absolute {
		return d.graph.Routers
	}
	return d.a
}

// WorstGroup implements WorstInGroups: the worst case is a group sending to the next group (Kim,
// Dally, Scott and Abts, ISCA 2008).
func (d *Dragonfly) WorstGroup() (hosts, routers int) { return d.p * d.a, d.a }
