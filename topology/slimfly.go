package topology

import "fmt"

var _ = Register(100, Description[SlimFlySpec]{
	Name: "slim-fly", Summary: "a network of diameter 2 with nearly as many routers as can be",
	Routing: "minimal",
	Defaults: func(s *SlimFlySpec, joins bool) {
		if len((SlimFlySpec{Q: s.Q}).Check()) == 0 {
			hostsDefault(&s.Hosts, s.FullHosts(), joins)
		}
	},
	Sized: func(hosts int) SlimFlySpec {
		for q := 3; ; q++ {
			s := SlimFlySpec{Q: q}
			if len(s.Check()) == 0 && 2*q*q*s.FullHosts() >= hosts {
				return s
			}
		}
	},
	Manual: Manual{
		Section: "slim-fly", Routers: "2q²", Hosts: "2pq²", Links: "(3q − δ)/2", Diameter: "2",
	},
	Examples: []string{"q: 3, hosts: 1"},
})

// SlimFlySpec holds the parameters of a Slim Fly.
type SlimFlySpec struct {
	// a prime power of at least 3; the network has 2 q^2 routers
	Q int `yaml:"q" help:"a prime power"`
	// hosts per router; 0 if the routers only connect blocks of a hierarchy
	Hosts int `yaml:"hosts" help:"of a router" default:"by 'q'"`
}

// SlimFly is a network of diameter 2 near the Moore bound (Besta and Hoefler, SC 2014): the graph
// of McKay, Miller and Siran (1998) for a prime power q = 4w + d, with d in {-1, 0, 1}. It has 2
// q^2 routers with (3q-d)/2 links each.
//
// Routers are triples (s, x, y) with s in {0, 1} and x, y in the field of q elements. (0, x, y) and
// (0, x, y') are connected if y - y' is in the set X; (1, m, c) and (1, m, c') if c - c' is in the
// set X'; and (0, x, y) and (1, m, c) if y = m x + c.
//
// Router (s, x, y) has the ID (2 x + s) q + y. The 2q routers with the same x are a rack, and those
// with the same s and x are a column. The local ports of a router lead first to its own column, one
// for each element of the set, then to the q columns of the other side, and then to the NICs.
type SlimFly struct {
	q     int
	hosts int
	field *galois
	sets  [2][]int // the sets X and X' of the construction
	index [2][]int // position of each element in the set; -1 if it is not in the set
	graph *Graph
}

// NewSlimFly builds the Slim Fly that s describes, with one link class within columns and one
// between columns. It returns an error if s is invalid.
func NewSlimFly(s SlimFlySpec, nicsPerHost int) (*SlimFly, error) {
	if err := ready(s, nicsPerHost); err != nil {
		return nil, err
	}
	f := &SlimFly{q: s.Q, hosts: s.Hosts, field: newGalois(s.Q)}
	for side := range f.sets {
		f.generators(side)
	}
	f.graph = wiring{
		routers: 2 * s.Q * s.Q, nics: nicsPerHost,
		degree: func(int) (int, int) { return s.degree(), f.hosts },
		far:    f.far,
	}.layOut()
	return f, nil
}

// delta returns d in q = 4w + d.
func (s SlimFlySpec) delta() int {
	return [...]int{0, 1, 2, -1}[s.Q%4] // 2 is the only prime power with q = 2 mod 4
}

// degree returns the number of links of a router to other routers.
func (s SlimFlySpec) degree() int { return (3*s.Q - s.delta()) / 2 }

// FullHosts returns the number of hosts per router that can together use about the whole bandwidth
// of the network: half the number of a router's links, rounded up.
func (s SlimFlySpec) FullHosts() int { return (s.degree() + 1) / 2 }

// Check implements Spec.
func (s SlimFlySpec) Check() []Mistake {
	var c checker
	if !c.hint(
		slimFlyOrder(s.Q), "q", s.Q,
		fmt.Sprintf("a prime power from 3 to %d, such as 5, 7, 8, 9", MaxSlimFly),
		nearestSlimFly(s.Q),
	) {
		return c.mistakes
	}
	if c.count("hosts", s.Hosts, 0) {
		c.fits("q", s.Q, s.Size())
	}
	return c.mistakes
}

// MaxSlimFly is the largest order q for which all ports can be numbered.
const MaxSlimFly = 281

func slimFlyOrder(q int) bool {
	if q <= 2 || q > MaxSlimFly {
		return false
	}
	_, n := primePower(q)
	return n > 0
}

// nearestSlimFly returns a text that names the valid orders closest to q, which is invalid.
func nearestSlimFly(q int) string {
	if q < 3 {
		return "the least is 3"
	}
	if q > MaxSlimFly {
		return fmt.Sprintf("the greatest is %d: a larger one has more than %d ports", MaxSlimFly, maxPorts)
	}
	low, high := q, q
	for !slimFlyOrder(low) {
		low--
	}
	for !slimFlyOrder(high) {
		high++
	}
	return fmt.Sprintf("the nearest are %d and %d", low, high)
}

// Size implements Spec.
func (s SlimFlySpec) Size() Size {
	routers := product(2, s.Q, s.Q)
	return Size{
		Routers: routers,
		Hosts:   product(max(routers, 0), s.Hosts),
		Links:   product(max(routers, 0), s.degree()),
	}
}

// Build implements Spec.
func (s SlimFlySpec) Build(nics int) (Topology, error) { return NewSlimFly(s, nics) }

// generators computes X (side 0) or X' (side 1) from the powers of a primitive element: the even
// powers for X, the odd ones for X'. For d = -1, even and odd are exchanged from power 2w on, so
// that the set contains the negative of each of its elements.
func (f *SlimFly) generators(side int) {
	d := SlimFlySpec{Q: f.q}.delta()
	f.index[side] = make([]int, f.q)
	for i := range f.index[side] {
		f.index[side][i] = -1
	}
	for i := range (f.q - d) / 2 {
		exponent := 2*i + side
		if w := (f.q - d) / 4; d == -1 && i >= w {
			exponent-- // powers 2w-1, 2w+1, ... for X, and 2w, 2w+2, ... for X'
		}
		e := f.field.power(exponent)
		f.index[side][e] = len(f.sets[side])
		f.sets[side] = append(f.sets[side], e)
	}
}

func (f *SlimFly) far(router, p int) (peer, peerPort int, class uint16) {
	s, x, y := f.Place(router)
	if p < len(f.sets[s]) {
		e := f.sets[s][p]
		return f.Router(s, x, f.field.add(y, e)), f.index[s][f.field.neg(e)], LinkRouter
	}
	other := p - len(f.sets[s])
	if s == 0 { // use y = m x + c
		c := f.field.add(y, f.field.neg(f.field.mul(other, x)))
		return f.Router(1, other, c), len(f.sets[1]) + x, LinkGlobal
	}
	return f.Router(0, other, f.field.add(f.field.mul(x, other), y)), len(f.sets[0]) + x, LinkGlobal
}

// Q returns the order of the field.
func (f *SlimFly) Q() int { return f.q }

// Hosts returns n, the number of hosts of each router. Host h is at router h / n.
func (f *SlimFly) Hosts() int { return f.hosts }

// Place returns the side s and the coordinates of a router: (0, x, y) or (1, m, c).
func (f *SlimFly) Place(router int) (s, x, y int) {
	column := router / f.q
	return column % 2, column / 2, router % f.q
}

// Router returns the ID of router (s, x, y).
func (f *SlimFly) Router(s, x, y int) int { return (2*x+s)*f.q + y }

// Port returns the local port that leads from a router to its neighbour `to`. ok is false if they
// are not neighbours.
func (f *SlimFly) Port(router, to int) (port int, ok bool) {
	s, x, y := f.Place(router)
	t, u, v := f.Place(to)
	if s != t {
		port = len(f.sets[s]) + u
		peer, _, _ := f.far(router, port)
		return port, peer == to
	}
	port = f.index[s][f.field.add(v, f.field.neg(y))]
	return port, x == u && port >= 0
}

// Across returns the neighbour of a router in the given column of the other side.
func (f *SlimFly) Across(router, column int) int {
	s, _, _ := f.Place(router)
	peer, _, _ := f.far(router, len(f.sets[s])+column)
	return peer
}

// Kind returns "slim-fly".
func (f *SlimFly) Kind() string { return "slim-fly" }

// Graph returns the network.
func (f *SlimFly) Graph() *Graph { return f.graph }

// LinkClasses returns "local" (within a column), "host" and "global".
func (f *SlimFly) LinkClasses() []string { return []string{"local", "host", "global"} }

// RouterName returns the router's coordinates as "(s,x,y)".
func (f *SlimFly) RouterName(router int) string {
	s, x, y := f.Place(router)
	return fmt.Sprintf("(%d,%d,%d)", s, x, y)
}

// PortName returns "local+3" for a port within the column (3 is the difference of the coordinates),
// or "global3" for the port to column 3 of the other side.
func (f *SlimFly) PortName(router, port int) string {
	s, _, _ := f.Place(router)
	local := len(f.sets[s])
	switch {
	case port < local:
		return fmt.Sprintf("local+%d", f.sets[s][port])
	case port < local+f.q:
		return fmt.Sprintf("global%d", port-local)
	}
	return nicName(port-local-f.q, f.hosts, f.graph.NICsPerHost)
}

// Distance returns the number of links between the routers of two hosts: 0, 1 or 2.
func (f *SlimFly) Distance(a, b int) int {
	return f.Hops(a/f.hosts, b/f.hosts)
}

// Hops returns the number of links between two routers: 0, 1 or 2.
func (f *SlimFly) Hops(a, b int) int {
	if a == b {
		return 0
	}
	if _, ok := f.Port(a, b); ok {
		return 1
	}
	return 2
}

// Nearer appends the local ports at which shortest paths from a router to another start, in
// ascending order. Two routers of the same side in different columns have exactly one common
// neighbour, given by the line through both points. Two routers of different sides that are not
// neighbours have common neighbours in the column of one, of the other, or of both.
func (f *SlimFly) Nearer(router, to int, ports []uint16) []uint16 {
	if port, ok := f.Port(router, to); ok {
		return append(ports, uint16(port))
	}
	s, x, y := f.Place(router)
	t, u, v := f.Place(to)
	switch {
	case s == t && x == u:
		for p, e := range f.sets[s] {
			if f.index[s][f.minus(v, f.field.add(y, e))] >= 0 {
				ports = append(ports, uint16(p))
			}
		}
		return ports
	case s == t:
		slope := f.field.div(f.minus(y, v), f.minus(x, u))
		if s == 1 {
			slope = f.field.neg(slope)
		}
		return append(ports, uint16(len(f.sets[s])+slope))
	}
	if p := f.index[s][f.minus(f.Across(to, x)%f.q, y)]; p >= 0 {
		ports = append(ports, uint16(p))
	}
	if f.index[t][f.minus(v, f.Across(router, u)%f.q)] >= 0 {
		ports = append(ports, uint16(len(f.sets[s])+u))
	}
	return ports
}

// minus returns a - b in the field.
func (f *SlimFly) minus(a, b int) int { return f.field.add(a, f.field.neg(b)) }

// FamilySlimFlies is the family of Slim Flies of any order.
const FamilySlimFlies Family = "Slim Flies"

// manySlimFly is the maximum number of routers of a Slim Fly that is itself checked for deadlock.
// The limit is higher than for tori, because a Slim Fly of the same size takes much less time to
// check.
const manySlimFly = 2048

// Representative returns a small Slim Fly whose order has the same remainder modulo 4, since this
// remainder determines the structure of the columns. It implements Represented.
func (f *SlimFly) Representative() (Representative, bool) {
	s := SlimFlySpec{Q: [...]int{8, 5, 0, 7}[f.q%4], Hosts: f.hosts}
	return Representative{
		Of: FamilySlimFlies, Name: fmt.Sprintf("a Slim Fly of order %d", s.Q),
		Build: func() (Topology, error) { return s.Build(f.graph.NICsPerHost) },
	}, f.graph.Routers > manySlimFly
}

// Shape implements Shaped. A group consists of one column of each side.
func (f *SlimFly) Shape() Shape { return GroupRing{Groups: f.q, Size: 2 * f.q} }

// DistanceFormula implements Direct.
func (f *SlimFly) DistanceFormula() {}
