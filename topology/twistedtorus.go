package topology

import (
	"fmt"
	"slices"
)

var _ = Register(15, Description[TwistedTorusSpec]{
	Name: "twisted-torus", Summary: "a torus whose rings end shifted along other dimensions",
	Routing: "minimal",
	Defaults: func(s *TwistedTorusSpec, joins bool) {
		hostsDefault(&s.Hosts, 1, joins)
		if s.Twist == nil {
			s.Twist = UsualTwist(s.Dims)
		}
	},
	Sized: func(hosts int) TwistedTorusSpec {
		k := max(2, root((hosts+1)/2, 3))
		return TwistedTorusSpec{Dims: []int{k, k, 2 * k}}
	},
	Help: map[string]string{
		"twist": "shifts at the ends of rings, such as 'x+4z': what leaves the last router along x comes to " +
			"the first one, 4 further along z",
	},
	Manual: Manual{
		Section: "twisted-torus", Routers: "Π k", Hosts: "p Π k", Links: "2n",
		Diameter: "⌊3k/2⌋ if k, k, 2k or k, 2k, 2k",
	},
	Examples: []string{"dims: [2, 2, 4]", "dims: [3, 6], twist: [x+3y], hosts: 2"},
})

// TwistedTorusSpec holds the parameters of a torus with twisted rings.
type TwistedTorusSpec struct {
	// routers in each dimension
	Dims []int `yaml:"dims" help:"routers in each dimension"`
	// shifts at the ends of rings. A dimension along which others are shifted has none itself.
	Twist []Twist `yaml:"twist" default:"[x+kz, y+kz] of k, k, 2k; [x+ky, x+kz] of k, 2k, 2k"`
	// hosts per router; 0 if the routers only connect blocks of a hierarchy
	Hosts int `yaml:"hosts" help:"of a router" default:"1"`
}

// TwistedTorus is a torus in which the wrap-around links of some dimensions lead to a router that is
// also shifted along other dimensions (Cámara, Moretó, Vallejo, Beivide, Miguel-Alonso, Martínez and
// Navaridas, Twisted torus topologies for enhanced interconnection networks, IEEE Trans. Parallel and
// Distributed Systems 2010). With the usual twists of k, k, 2k and k, 2k, 2k routers all dimensions
// carry the same share of uniform traffic, and the diameter is 3k/2: they are lattice graphs of the
// cubic crystals (Camarero, Martínez and Beivide, same journal, 2015). TPU v4 has such slices.
//
// Routers and ports are numbered as those of a Torus. The network is the Cayley graph of a
// commutative group: the shortest ways from one router to another depend on their difference only.
type TwistedTorus struct {
	dims    []int
	strides []int
	shifts  [][]int // by dimension: what the end of its rings adds to each coordinate
	hosts   int
	coords  []int32 // of all routers, one for each dimension
	ways    []TwistedWay
	graph   *Graph
}

// NewTwistedTorus builds the torus that s describes, with one link class per dimension. It returns
// an error if s is invalid.
func NewTwistedTorus(s TwistedTorusSpec, nicsPerHost int) (*TwistedTorus, error) {
	if err := ready(s, nicsPerHost); err != nil {
		return nil, err
	}
	t := &TwistedTorus{dims: slices.Clone(s.Dims), hosts: s.Hosts, shifts: s.shifts()}
	routers := 1
	for _, k := range s.Dims {
		t.strides = append(t.strides, routers)
		routers *= k
	}
	for r := range routers {
		for d, k := range t.dims {
			t.coords = append(t.coords, int32(r/t.strides[d]%k))
		}
	}
	t.ways = newTwistedWays(t, routers)
	t.graph = wiring{
		routers: routers, nics: nicsPerHost,
		degree: func(int) (int, int) { return 2 * len(t.dims), t.hosts },
		far: func(r, p int) (int, int, uint16) {
			if t.dims[p/2] == 1 && !slices.ContainsFunc(t.shifts[p/2], func(by int) bool { return by > 0 }) {
				return int(Unconnected), 0, dimClass(p / 2)
			}
			return t.Neighbour(r, p), p ^ 1, dimClass(p / 2)
		},
	}.layOut()
	return t, nil
}

// Check implements Spec.
func (s TwistedTorusSpec) Check() []Mistake {
	var c checker
	if !c.sizes("dims", s.Dims, MaxDims, "the sizes of the dimensions, such as [4, 4, 8]") ||
		!c.count("hosts", s.Hosts, 0) || !c.fits("dims", s.Dims, s.Size()) ||
		!c.demand(len(s.Twist) > 0, "twist", "nothing", "shifts, such as [x+4z]") {
		return c.mistakes
	}
	for i, w := range s.Twist {
		s.checkTwist(&c, i, w)
	}
	return c.mistakes
}

// checkTwist records what is wrong with a shift.
func (s TwistedTorusSpec) checkTwist(c *checker, i int, w Twist) {
	field := fmt.Sprintf("twist[%d]", i)
	if !c.demand(w.Of < len(s.Dims) && w.Along < len(s.Dims), field, w,
		fmt.Sprintf("two of the %d dimensions", len(s.Dims))) {
		return
	}
	c.demand(w.By >= 1 && w.By < s.Dims[w.Along], field, w,
		fmt.Sprintf("a shift of 1 to %d along %s", s.Dims[w.Along]-1, DimensionName(w.Along)))
	for _, other := range s.Twist {
		c.demand(w.Along != other.Of, field, w,
			fmt.Sprintf("a shift along a dimension that has none itself, as %s has", DimensionName(w.Along)))
	}
	for _, other := range s.Twist[:i] {
		c.demand(w.Of != other.Of || w.Along != other.Along, field, w, "one shift of a dimension along another")
	}
}

// shifts returns, by dimension, what the end of its rings adds to each coordinate.
func (s TwistedTorusSpec) shifts() [][]int {
	list := make([][]int, len(s.Dims))
	for d := range list {
		list[d] = make([]int, len(s.Dims))
	}
	for _, w := range s.Twist {
		list[w.Of][w.Along] = w.By
	}
	return list
}

// Size implements Spec.
func (s TwistedTorusSpec) Size() Size {
	return TorusSpec{Dims: s.Dims, Hosts: s.Hosts}.Size()
}

// Build implements Spec.
func (s TwistedTorusSpec) Build(nics int) (Topology, error) { return NewTwistedTorus(s, nics) }

// Neighbour returns the router to which a router's local port to another router leads.
func (t *TwistedTorus) Neighbour(router, port int) int {
	d, step := port/2, 1-port%2*2
	c := router / t.strides[d] % t.dims[d]
	next := c + step
	if next >= 0 && next < t.dims[d] {
		return router + step*t.strides[d]
	}
	router += ((next+t.dims[d])%t.dims[d] - c) * t.strides[d]
	for j, by := range t.shifts[d] {
		c := router / t.strides[j] % t.dims[j]
		router += ((c+step*by+t.dims[j])%t.dims[j] - c) * t.strides[j]
	}
	return router
}

// Difference returns the router to which the ways lead from router 0 that lead from one router to
// another.
func (t *TwistedTorus) Difference(from, to int) int {
	n := len(t.dims)
	a, b := t.coords[from*n:from*n+n], t.coords[to*n:to*n+n]
	sum, wrapped := 0, 0
	for d, stride := range t.strides {
		away := int(b[d] - a[d])
		if away < 0 {
			away += t.dims[d]
			wrapped |= 1 << d
		}
		sum += away * stride
	}
	for d := 0; wrapped>>d > 0; d++ {
		if wrapped>>d&1 == 1 {
			sum = t.unshifted(sum, d)
		}
	}
	return sum
}

// unshifted returns a router moved by the opposite of the shifts of dimension d.
func (t *TwistedTorus) unshifted(router, d int) int {
	for j, by := range t.shifts[d] {
		if by > 0 {
			c := int(t.coords[router*len(t.dims)+j])
			router += ((c-by+t.dims[j])%t.dims[j] - c) * t.strides[j]
		}
	}
	return router
}

// Way returns how shortest ways lead from one router to another.
func (t *TwistedTorus) Way(from, to int) TwistedWay { return t.ways[t.Difference(from, to)] }

// Kind returns "twisted-torus".
func (t *TwistedTorus) Kind() string { return "twisted-torus" }

// Graph returns the network.
func (t *TwistedTorus) Graph() *Graph { return t.graph }

// LinkClasses returns the names of the dimensions.
func (t *TwistedTorus) LinkClasses() []string { return dimClasses(len(t.dims)) }

// Dims returns the number of routers in each dimension. The caller must not change the list.
func (t *TwistedTorus) Dims() []int { return t.dims }

// RouterName returns the router's coordinates, such as "(3,0,1)".
func (t *TwistedTorus) RouterName(router int) string { return coordName(router, t.dims) }

// PortName returns the direction of a port, such as "+x", or the name of a NIC port.
func (t *TwistedTorus) PortName(_, port int) string {
	return ringPortName(port, len(t.dims), t.hosts, t.graph.NICsPerHost)
}

// Distance returns the minimum number of links between the routers of two hosts.
func (t *TwistedTorus) Distance(a, b int) int { return int(t.Way(a/t.hosts, b/t.hosts).Hops) }

// DistanceFormula implements Direct.
func (t *TwistedTorus) DistanceFormula() {}

// Representatives implements Symmetric.
func (t *TwistedTorus) Representatives() int { return 1 }

// Dimensions implements Coordinated.
func (t *TwistedTorus) Dimensions() []Dimension { return dimensions(t.dims) }

// Coordinates implements Coordinated.
func (t *TwistedTorus) Coordinates(router int, list []int) []int {
	return gridCoordinates(router, t.dims, list)
}

// LinkDimension implements Coordinated.
func (t *TwistedTorus) LinkDimension(_, port int) int {
	if port >= 2*len(t.dims) {
		return -1
	}
	return port / 2
}

// Shape implements Shaped.
func (t *TwistedTorus) Shape() Shape {
	return Grid{Dims: t.dims, Wrap: slices.Repeat([]bool{true}, len(t.dims))}
}

// FamilyTwisted is the family of twisted tori that are multiples of one another: all sizes and shifts
// are multiplied by the same number, and rings remain longer than three routers.
const FamilyTwisted Family = "twisted tori"

// Representative returns the smallest twisted torus of the family with dimensions of at least
// smallDim routers. It implements Represented.
func (t *TwistedTorus) Representative() (Representative, bool) {
	s := TwistedTorusSpec{Dims: slices.Clone(t.dims), Hosts: t.hosts}
	by := 1
	for f := slices.Min(t.dims) / smallDim; f > 1 && by == 1; f-- {
		if t.multiple(f) {
			by = f
		}
	}
	for d := range s.Dims {
		s.Dims[d] /= by
		for j, shift := range t.shifts[d] {
			if shift > 0 {
				s.Twist = append(s.Twist, Twist{Of: d, Along: j, By: shift / by})
			}
		}
	}
	dims := TorusSpec{Dims: s.Dims}
	return Representative{
		Of: FamilyTwisted, Name: dims.name("twisted torus"),
		Build: func() (Topology, error) { return s.Build(t.graph.NICsPerHost) },
	}, by > 1 && t.graph.Routers > manyRouters
}

// multiple reports whether all sizes and shifts are multiples of f.
func (t *TwistedTorus) multiple(f int) bool {
	odd := func(n int) bool { return n%f != 0 }
	return !slices.ContainsFunc(t.dims, odd) && !slices.ContainsFunc(t.shifts, func(list []int) bool {
		return slices.ContainsFunc(list, odd)
	})
}
