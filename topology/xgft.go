package topology

import (
	"fmt"
	"math"
)

var _ = Register(70, Description[XGFTSpec]{
	Name: "xgft", Summary: "a fat tree of any shape, level by level", Routing: "nca",
	// tapered two to one
	Sized: func(hosts int) XGFTSpec {
		leaf := max(2, root(hosts, 2))
		return XGFTSpec{M: []int{leaf, max(2, (hosts+leaf-1)/leaf)}, W: []int{1, (leaf + 1) / 2}}
	},
	Manual: Manual{
		Section: "trees", Routers: "Σ over levels l of Π m(i > l) Π w(i ≤ l)", Hosts: "Π m",
		Links: "m(l) + w(l+1)", Diameter: "2h − 2",
	},
	Examples: []string{"m: [3, 2, 2], w: [1, 2, 2], width: [1, 2, 1]"},
})

// MaxLevels is the maximum number of levels of switches of a tree.
const MaxLevels = 8

// XGFTSpec holds the parameters of an extended generalized fat tree.
type XGFTSpec struct {
	// children of a node at each level, from the leaf switches (their hosts) to the top
	M []int `yaml:"m" help:"children at each level"`
	// parents of a node at each level: of a host (always 1), a leaf switch, and so on
	W []int `yaml:"w" help:"parents at each level"`
	// parallel links from a node to each of its parents, by level; nil: one
	Width []int `yaml:"width" help:"parallel links, for each dimension or level" default:"1"`
}

// XGFT is the extended generalized fat tree XGFT(h; m1..mh; w1..wh) of Ohring, Ibel, Das and Kumar
// (IPPS 1995). A node of level i has m(i) children, and a node of level i-1 has w(i) parents. Hosts
// are level 0, and switches are levels 1 to h. With m = (k, ..., k) and w = (1, k, ..., k) it is
// the k-ary n-tree (Petrini and Vanneschi, IPPS 1997). Parallel links make it a PGFT (Zahavi,
// 2010).
//
// A switch of level l is identified by its subtree (one digit less than m(i) for each level i > l)
// and by its index among the equivalent switches of that subtree (one digit less than w(i) for each
// level i <= l). The routers of a subtree of level l have consecutive IDs: first those of its m(l)
// subtrees, then its switches of level l.
//
// The local ports of a switch lead first to its parents, then to its children. The children of a
// leaf switch are the NICs of its hosts.
type XGFT struct {
	kind    string
	m, w    []int // the parameters M and W by level, starting at index 1
	width   []int
	subtree []int // by level: number of routers per subtree
	tops    []int // by level l: number of switches of that level per subtree of level l
	leaves  []int // by level: number of hosts per subtree
	graph   *Graph
}

// NewXGFT builds the tree that s describes, with one link class between each two adjacent levels of
// switches. It returns an error if s is invalid.
func NewXGFT(s XGFTSpec, nicsPerHost int) (*XGFT, error) {
	if err := ready(s, nicsPerHost); err != nil {
		return nil, err
	}
	t := &XGFT{
		kind:    "xgft",
		m:       []int{0},
		w:       []int{0},
		width:   []int{0},
		subtree: []int{0},
		tops:    []int{1},
		leaves:  []int{1},
	}
	for i, m := range s.M {
		t.m, t.w, t.width = append(t.m, m), append(t.w, s.W[i]), append(t.width, s.wide(i))
		t.tops = append(t.tops, t.tops[i]*s.W[i])
		t.subtree = append(t.subtree, m*t.subtree[i]+t.tops[i+1])
		t.leaves = append(t.leaves, m*t.leaves[i])
	}
	t.graph = wiring{routers: t.subtree[t.Levels()], nics: nicsPerHost, degree: t.degree, far: t.far}.layOut()
	return t, nil
}

func (s XGFTSpec) wide(i int) int {
	if s.Width == nil {
		return 1
	}
	return s.Width[i]
}

// Check implements Spec.
func (s XGFTSpec) Check() []Mistake {
	var c checker
	right := c.sizes("m", s.M, MaxLevels, "the children of a switch at each level, such as [4, 4, 4]")
	right = c.sizes("w", s.W, MaxLevels, "the parents at each level, from the hosts up, such as [1, 4, 4]") &&
		right
	right = c.demand(
		len(s.W) == len(s.M) || !right,
		"w",
		fmt.Sprintf("%d levels", len(s.W)),
		fmt.Sprintf("%d, as many as in m", len(s.M)),
	) &&
		right
	if len(s.W) > 0 {
		right = c.hint(s.W[0] == 1, "w[0]", s.W[0], "1: a host is at one leaf switch", "for "+
			"several NICs there, use node.nics") && right
	}
	right = s.checkWidth(&c) && right
	if right {
		c.fits("m", s.M, s.Size())
	}
	return c.mistakes
}

func (s XGFTSpec) checkWidth(c *checker) bool {
	if s.Width == nil {
		return true
	}
	right := c.demand(
		len(s.Width) == len(s.M), "width", fmt.Sprintf("%d levels", len(s.Width)),
		fmt.Sprintf("%d, as many as in m", len(s.M)),
	)
	for i, w := range s.Width {
		right = c.least(fmt.Sprintf("width[%d]", i), w, 1) && right
	}
	if right && s.Width[0] != 1 {
		right = c.hint(
			false, "width[0]", s.Width[0], "1: a NIC is at one port",
			"for several NICs there, use node.nics",
		)
	}
	return right
}

// Size implements Spec.
func (s XGFTSpec) Size() Size {
	size := Size{Hosts: product(s.M...)}
	for l := 1; l <= len(s.M); l++ {
		switches := product(product(s.M[l:]...), product(s.W[:l]...))
		ports := 0
		if l < len(s.M) {
			ports = product(2, s.W[l], s.wide(l))
		}
		ends := product(switches, ports)
		if switches < 0 || ends < 0 {
			return Size{Routers: -1}
		}
		size.Routers += switches
		size.Links += ends
	}
	return size
}

// Build implements Spec.
func (s XGFTSpec) Build(nics int) (Topology, error) { return NewXGFT(s, nics) }

func (t *XGFT) degree(r int) (links, hosts int) {
	l := t.Level(r)
	if l == 1 {
		return t.Ups(1), t.m[1]
	}
	return t.Ups(l) + t.m[l]*t.width[l], 0
}

// far returns the router and port at the other end of port p, and the link's class.
func (t *XGFT) far(r, p int) (peer, peerPort int, class uint16) {
	l := t.Level(r)
	if p < t.Ups(l) {
		y, lane := p/t.width[l+1], p%t.width[l+1]
		parent := t.Parent(r, y)
		return parent, t.DownPort(l+1, t.Child(r), lane), t.class(l)
	}
	p -= t.Ups(l)
	x, lane := p/t.width[l], p%t.width[l]
	child, y := t.childAndOwn(r, l, x)
	return child, t.UpPort(l-1, y, lane), t.class(l - 1)
}

// class returns the link class of the links from level l up.
func (t *XGFT) class(l int) uint16 { return dimClass(l - 1) }

// Levels returns the number of levels of switches.
func (t *XGFT) Levels() int { return len(t.m) - 1 }

// Children returns m(l), the number of children of a node of level l >= 1.
func (t *XGFT) Children(l int) int { return t.m[l] }

// Parents returns w(l+1), the number of parents of a node of level l >= 0. It is 0 at the top.
func (t *XGFT) Parents(l int) int {
	if l == t.Levels() {
		return 0
	}
	return t.w[l+1]
}

// Width returns the number of parallel links between a node of level l and each of its parents. It
// is 0 at the top.
func (t *XGFT) Width(l int) int {
	if l == t.Levels() {
		return 0
	}
	return t.width[l+1]
}

// Ups returns the number of ports of a switch of level l that lead up. These are its first ports.
func (t *XGFT) Ups(l int) int { return t.Parents(l) * t.Width(l) }

// UpPort returns the local port of a node of level l that leads to its parent y. lane selects one
// of the parallel links, from 0.
func (t *XGFT) UpPort(l, y, lane int) int { return y*t.Width(l) + lane }

// DownPort returns the local port of a switch of level l > 1 that leads to its child x. lane
// selects one of the parallel links, from 0.
func (t *XGFT) DownPort(l, x, lane int) int { return t.Ups(l) + x*t.width[l] + lane }

// place returns the level of a router, the ID of the first of the equivalent switches of its
// subtree, and the router's index among them.
func (t *XGFT) place(r int) (level, firstTop, sibling int) {
	first := 0
	for l := t.Levels(); ; l-- {
		own := first + t.m[l]*t.subtree[l-1]
		if r >= own || l == 1 {
			return l, own, r - own
		}
		first += (r - first) / t.subtree[l-1] * t.subtree[l-1]
	}
}

// Level returns the level of a switch, 1 for leaf switches.
func (t *XGFT) Level(r int) int {
	l, _, _ := t.place(r)
	return l
}

// Child returns the index, among its siblings, of the subtree that switch r is at the top of.
func (t *XGFT) Child(r int) int {
	l, own, _ := t.place(r)
	first := own - t.m[l]*t.subtree[l-1] // first router of the subtree
	for i := t.Levels(); i > l+1; i-- {
		first %= t.subtree[i-1]
	}
	return first / t.subtree[l]
}

// Sibling returns the index of a switch among the equivalent switches of its subtree. Its digits
// are the switch's w-digits, the highest level first.
func (t *XGFT) Sibling(r int) int {
	_, _, s := t.place(r)
	return s
}

// Parent returns the router ID of a switch's parent y.
func (t *XGFT) Parent(r, y int) int {
	l, own, s := t.place(r)
	first := own - t.m[l]*t.subtree[l-1] - t.Child(r)*t.subtree[l] // first router of the parents' subtree
	return first + t.m[l+1]*t.subtree[l] + y*t.tops[l] + s
}

// childAndOwn returns the router ID of child x of switch r of level l > 1, and the index y of r
// among that child's parents.
func (t *XGFT) childAndOwn(r, l, x int) (child, y int) {
	_, own, s := t.place(r)
	first := own - t.m[l]*t.subtree[l-1] + x*t.subtree[l-1] // first router of the child's subtree
	return first + t.m[l-1]*t.subtree[l-2] + s%t.tops[l-1], s / t.tops[l-1]
}

// Below reports whether a host is below a switch, and returns the child x through which the switch
// reaches it.
func (t *XGFT) Below(r, host int) (x int, below bool) {
	l, own, _ := t.place(r)
	first := own - t.m[l]*t.subtree[l-1]
	if t.firstOf(host, l) != first {
		return 0, false
	}
	return host / t.leaves[l-1] % t.m[l], true
}

// firstOf returns the first router of the subtree of level l that contains a host.
func (t *XGFT) firstOf(host, l int) int {
	first := 0
	for i := t.Levels(); i > l; i-- {
		first += host / t.leaves[i-1] % t.m[i] * t.subtree[i-1]
	}
	return first
}

// HostDigit returns the child through which a switch of level l above the host reaches it: the
// host's digit x(l).
func (t *XGFT) HostDigit(host, l int) int { return host / t.leaves[l-1] % t.m[l] }

// NearestCommon returns the level of the nearest common ancestors of two hosts, or 0 if they are
// the same host.
func (t *XGFT) NearestCommon(a, b int) int {
	l := 0
	for a != b {
		l++
		a /= t.m[l]
		b /= t.m[l]
	}
	return l
}

// Kind returns "xgft", or "fat-tree" or "k-ary-n-tree" for trees described by FatTreeSpec or
// KaryTreeSpec.
func (t *XGFT) Kind() string { return t.kind }

// Graph returns the network.
func (t *XGFT) Graph() *Graph { return t.graph }

// LinkClasses returns the names of the classes: "level1" for the links from leaf switches up,
// "host", and "level2" and so on for the levels above.
func (t *XGFT) LinkClasses() []string {
	names := []string{LinkRouter: "level1", LinkHost: "host"}
	for l := 2; l < t.Levels(); l++ {
		names = append(names, fmt.Sprintf("level%d", l))
	}
	return names
}

// RouterName returns the level, the subtree and the index among equivalent switches: "2:3.1" is
// switch 1 of level 2 in subtree 3 of that level, both counted from 0.
func (t *XGFT) RouterName(r int) string {
	l, own, s := t.place(r)
	first, index := own-t.m[l]*t.subtree[l-1], 0
	for i := t.Levels(); i > l; i-- {
		index = index*t.m[i] + first/t.subtree[i-1]
		first %= t.subtree[i-1]
	}
	return fmt.Sprintf("%d:%d.%d", l, index, s)
}

// PortName returns "up3" or "down3", with ".1" for the second of several parallel links.
func (t *XGFT) PortName(r, p int) string {
	l := t.Level(r)
	name, width := "up", t.Width(l)
	if p >= t.Ups(l) {
		p -= t.Ups(l)
		if l == 1 {
			return nicName(p, t.m[1], t.graph.NICsPerHost)
		}
		name, width = "down", t.width[l]
	}
	if width > 1 {
		return fmt.Sprintf("%s%d.%d", name, p/width, p%width)
	}
	return fmt.Sprintf("%s%d", name, p)
}

// Distance returns the number of links between the leaf switches of two hosts: up to the nearest
// common ancestor and down again.
func (t *XGFT) Distance(a, b int) int { return max(0, 2*(t.NearestCommon(a, b)-1)) }

// LinkLevel implements Tree.
func (t *XGFT) LinkLevel(router, port int) int {
	level := t.Level(router)
	if port >= t.Ups(level) {
		level--
	}
	return level
}

// Shape implements Shaped.
func (t *XGFT) Shape() Shape { return Stack{t} }

// DistanceFormula implements Direct.
func (t *XGFT) DistanceFormula() {}

// Representatives implements Symmetric. All leaf switches are equivalent, and the first router is
// one of them.
func (t *XGFT) Representatives() int { return 1 }

// Bisection returns the bandwidth between two halves of the subtrees, at the level where it is
// lowest. The number of subtrees at the top must be even. It implements Bisected.
func (t *XGFT) Bisection(bandwidth []int64) (rate int64, formula string) {
	top := t.Levels()
	if top < 2 || t.Children(top)%2 == 1 {
		return 0, ""
	}
	best := int64(math.MaxInt64)
	nodes := t.graph.Hosts / t.Children(1) // number of leaf switches
	for l := 1; l < top; l++ {
		links := int64(nodes * t.Ups(l))
		best = min(best, links/2*bandwidth[t.class(l)])
		nodes = nodes * t.Parents(l) / t.Children(l+1)
	}
	return best, "formula: half of the subtrees at the narrowest level"
}
