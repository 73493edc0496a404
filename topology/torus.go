package topology

import (
	"fmt"
	"math"
	"strings"

	"fabricast/internal/humanize"
)

var _ = Register(10, Description[TorusSpec]{
	Name: "torus", Summary: "a ring of routers in each dimension", Routing: "dor",
	Defaults: func(s *TorusSpec, joins bool) { hostsDefault(&s.Hosts, 1, joins) },
	Sized:    func(hosts int) TorusSpec { return TorusSpec{Dims: box(hosts, 3)} },
	Manual: Manual{
		Section: "torus-and-mesh", Routers: "Π k", Hosts: "p Π k", Links: "2n", Diameter: "Σ ⌊k/2⌋",
	},
	Examples: []string{"dims: [4, 3], hosts: 2", "dims: [5, 2, 2], wrap: [true, false, true]"},
})

// MaxDims is the maximum number of dimensions of a torus or mesh.
const MaxDims = 7

// TorusSpec holds the parameters of a torus or mesh.
type TorusSpec struct {
	// routers in each dimension
	Dims []int `yaml:"dims" help:"routers in each dimension"`
	// whether each dimension is a ring rather than a line; nil: all are rings
	Wrap []bool `yaml:"wrap" help:"which dimensions are rings" default:"all"`
	// hosts per router; 0 if the routers only connect blocks of a hierarchy
	Hosts int `yaml:"hosts" help:"of a router" default:"1"`
}

// Torus is a torus or mesh of up to MaxDims dimensions. Each dimension is a ring, or a line if it
// does not wrap. Without any ring, the network is a mesh.
//
// In router IDs the first dimension varies fastest. Local port 2d leads toward higher coordinates
// in dimension d, and port 2d+1 toward lower ones. They are followed by one port for each NIC of
// each host. A ring of two routers has two links between them, one for each direction.
type Torus struct {
	dims    []int
	strides []int
	wrap    []bool
	hosts   int
	classes []string
	graph   *Graph
}

// NewTorus builds a torus with one host at each router, and all links between routers in one class.
// wrap says for each dimension whether it is a ring; nil means that all are. NewTorus returns an
// error if the number of dimensions is 0 or above MaxDims, a size is not positive, or the network
// is too large to number.
func NewTorus(dims []int, wrap []bool, nicsPerHost int) (*Torus, error) {
	return newTorus(
		TorusSpec{Dims: dims, Wrap: wrap, Hosts: 1},
		nicsPerHost,
		[]string{LinkRouter: "link", LinkHost: "host"},
	)
}

// NewTorusOf builds the torus that s describes, with one link class per dimension. It returns an
// error if s is invalid.
func NewTorusOf(s TorusSpec, nicsPerHost int) (*Torus, error) {
	return newTorus(s, nicsPerHost, nil)
}

func newTorus(s TorusSpec, nics int, classes []string) (*Torus, error) {
	if err := ready(s, nics); err != nil {
		return nil, err
	}
	t := &Torus{
		dims:    append([]int(nil), s.Dims...),
		wrap:    make([]bool, len(s.Dims)),
		hosts:   s.Hosts,
		classes: classes,
	}
	routers := 1
	for d, k := range s.Dims {
		t.wrap[d] = s.Wrap == nil || s.Wrap[d]
		t.strides = append(t.strides, routers)
		routers *= k
	}
	byDimension := classes == nil
	if byDimension {
		t.classes = dimClasses(len(s.Dims))
	}
	t.graph = wiring{
		routers: routers, nics: nics,
		degree: func(int) (int, int) { return 2 * len(t.dims), t.hosts },
		far: func(r, p int) (int, int, uint16) {
			peer, port := t.link(r, p)
			if byDimension {
				return peer, port, dimClass(p / 2)
			}
			return peer, port, LinkRouter
		},
	}.layOut()
	return t, nil
}

// Check implements Spec.
func (s TorusSpec) Check() []Mistake {
	var c checker
	if c.sizes("dims", s.Dims, MaxDims, "the sizes of the dimensions, such as [8, 8, 8]") &&
		c.count("hosts", s.Hosts, 0) {
		c.fits("dims", s.Dims, s.Size())
	}
	c.demand(s.Wrap == nil || len(s.Wrap) == len(s.Dims), "wrap", humanize.Plural(len(s.Wrap), "entry"),
		fmt.Sprintf("one for each of the %d dimensions", len(s.Dims)))
	return c.mistakes
}

// Size implements Spec.
func (s TorusSpec) Size() Size {
	routers := product(s.Dims...)
	return Size{Routers: routers, Hosts: product(routers, s.Hosts), Links: product(routers, 2*len(s.Dims))}
}

// Build implements Spec.
func (s TorusSpec) Build(nics int) (Topology, error) { return NewTorusOf(s, nics) }

// link returns the router and port at the other end of port p of router r, which leads one step
// along a dimension.
func (t *Torus) link(r, p int) (peer, peerPort int) {
	d, step := p/2, 1-p%2*2
	k := t.dims[d]
	c := r / t.strides[d] % k
	next := c + step
	if k == 1 || !t.wrap[d] && (next < 0 || next >= k) {
		return int(Unconnected), 0
	}
	next = (next + k) % k
	return r + (next-c)*t.strides[d], p ^ 1 // the neighbour's port for the opposite direction
}

// Kind returns "torus", or "mesh" if no dimension wraps.
func (t *Torus) Kind() string {
	for _, w := range t.wrap {
		if w {
			return "torus"
		}
	}
	return "mesh"
}

// Graph returns the network.
func (t *Torus) Graph() *Graph { return t.graph }

// LinkClasses returns the names of the dimensions x, y, z, a, b, c, or only "link" if all links are
// in one class.
func (t *Torus) LinkClasses() []string { return t.classes }

// Dims returns the number of routers in each dimension. The caller must not change the list.
func (t *Torus) Dims() []int { return t.dims }

// Wraps reports whether dimension d is a ring.
func (t *Torus) Wraps(d int) bool { return t.wrap[d] }

// Hosts returns n, the number of hosts of each router. Host h is at router h / n.
func (t *Torus) Hosts() int { return t.hosts }

// Coord returns the coordinate of a router in dimension d.
func (t *Torus) Coord(router, d int) int { return router / t.strides[d] % t.dims[d] }

// RouterName returns the router's coordinates, such as "(3,0,1)".
func (t *Torus) RouterName(router int) string { return coordName(router, t.dims) }

// PortName returns the direction of a port: "+x" and "-x" to "+c" and "-c" for the dimensions x, y,
// z, a, b, c. For NIC ports it returns "nic0" and so on, or "host0" and so on if routers have
// several hosts.
func (t *Torus) PortName(_, port int) string {
	return ringPortName(port, len(t.dims), t.hosts, t.graph.NICsPerHost)
}

// ringPortName returns the name of a port of a router with two ports for each dimension, of whose NICs
// the ports come last.
func ringPortName(port, dims, hosts, nics int) string {
	if port >= 2*dims {
		return nicName(port-2*dims, hosts, nics)
	}
	return "+-"[port&1:port&1+1] + dimNames[port/2:port/2+1]
}

// Hops returns the number of steps in dimension d on a shortest path from coordinate a to b. It is
// negative toward lower coordinates. If both directions of a ring are equally long, it is positive
// and tie is true.
func (t *Torus) Hops(d, a, b int) (hops int, tie bool) {
	k := t.dims[d]
	hops = b - a
	if !t.wrap[d] {
		return hops, false
	}
	hops = (hops + k) % k
	if 2*hops > k {
		return hops - k, false
	}
	return hops, 2*hops == k && hops > 0
}

// Distance returns the minimum number of links between the routers of two hosts.
func (t *Torus) Distance(a, b int) int {
	a, b = a/t.hosts, b/t.hosts
	sum := 0
	for d, k := range t.dims {
		h, _ := t.Hops(d, a%k, b%k)
		sum += max(h, -h)
		a /= k
		b /= k
	}
	return sum
}

// FamilyRings is the family of tori and meshes with the same kinds of dimensions. Rings may have
// any length above three, but even and odd lengths are different kinds.
const FamilyRings Family = "tori and meshes"

// manyRouters is the maximum number of routers of a torus or mesh that is itself checked for
// deadlock. smallDim is the size to which even dimensions are reduced in the smaller network that
// represents a larger one; odd dimensions are reduced to smallDim+1.
const (
	manyRouters = 256
	smallDim    = 4
)

// smaller returns the parameters of a torus with the same kinds of dimensions and few routers.
func (t *Torus) smaller() TorusSpec {
	s := TorusSpec{Hosts: t.hosts}
	for d, k := range t.dims {
		s.Wrap = append(s.Wrap, t.wrap[d])
		s.Dims = append(s.Dims, min(k, smallDim+k%2))
	}
	return s
}

// Representative returns the smaller torus that t.smaller describes. It implements Represented.
func (t *Torus) Representative() (Representative, bool) {
	s := t.smaller()
	return Representative{
		Of: FamilyRings, Name: s.name(t.Kind()),
		Build: func() (Topology, error) { return s.Build(t.graph.NICsPerHost) },
	}, t.graph.Routers > manyRouters
}

// name returns the network's name for messages: "a torus of 4x4".
func (s TorusSpec) name(kind string) string {
	dims := strings.Trim(strings.ReplaceAll(fmt.Sprint(s.Dims), " ", "x"), "[]")
	return fmt.Sprintf("a %s of %s", kind, dims)
}

// Dimensions implements Coordinated.
func (t *Torus) Dimensions() []Dimension { return dimensions(t.dims) }

// Coordinates implements Coordinated.
func (t *Torus) Coordinates(router int, list []int) []int {
	return gridCoordinates(router, t.dims, list)
}

// LinkDimension implements Coordinated.
func (t *Torus) LinkDimension(_, port int) int {
	if port >= 2*len(t.dims) {
		return -1
	}
	return port / 2
}

// Shape implements Shaped.
func (t *Torus) Shape() Shape { return Grid{Dims: t.dims, Wrap: t.wrap} }

// DistanceFormula implements Direct.
func (t *Torus) DistanceFormula() {}

// Representatives implements Symmetric. If all dimensions are rings, the torus is symmetric under
// shifts, which map any router to any other and preserve the direction of each port.
func (t *Torus) Representatives() int {
	for d, k := range t.dims {
		if !t.wrap[d] && k > 1 {
			return t.graph.Routers
		}
	}
	return 1
}

// Bisection returns the bandwidth of the cut across the dimension for which it is lowest. That
// dimension must have an even size. Bisection implements Bisected.
func (t *Torus) Bisection(bandwidth []int64) (rate int64, formula string) {
	best, even := int64(math.MaxInt64), false
	for d, k := range t.dims {
		if k < 2 {
			continue
		}
		cables := int64(t.graph.Routers/k) * bandwidth[t.class(d)]
		if t.wrap[d] {
			cables *= 2
		}
		if cables < best || cables == best && k%2 == 0 {
			best, even = cables, k%2 == 0
		}
	}
	if !even {
		return t.oddBisection(bandwidth)
	}
	return best, acrossOneDimension
}

// acrossOneDimension names the bisection formula of networks with dimensions.
const acrossOneDimension = "formula: across one dimension"

// class returns the class of the links along dimension d.
func (t *Torus) class(d int) uint16 {
	if c := dimClass(d); int(c) < len(t.classes) {
		return c
	}
	return LinkRouter
}

// oddBisection computes the bisection of k-ary n-cubes and n-D meshes whose dimensions have the
// same odd size (Efe and Feng, "A proof for bisection width of grids", 2007).
func (t *Torus) oddBisection(bandwidth []int64) (rate int64, formula string) {
	k, links, power := t.dims[0], int64(0), int64(1)
	rate = bandwidth[LinkRouter]
	for d, size := range t.dims {
		if bandwidth[t.class(d)] != rate || size != k || t.wrap[d] != t.wrap[0] {
			return 0, ""
		}
		links += power // (k^n - 1) / (k - 1)
		power *= int64(k)
	}
	if k == 1 {
		return 0, ""
	}
	if t.wrap[0] {
		links *= 2
	}
	return links * rate, "formula: of grids of equal odd sizes"
}
