package topology

import (
	"fmt"

	"fabricast/internal/figures"
)

// MaxDims is the most dimensions a torus or mesh may have.
const MaxDims = 6

// TorusSpec describes a torus or mesh.
type TorusSpec struct {
	Dims  []int  // routers in each dimension
	Wrap  []bool // which dimensions are rings, the others are lines; nil: all
	Hosts int    // of each router; 0 where the routers only join others
}

// Torus is a k-ary n-cube of up to MaxDims dimensions. Each dimension is a
// ring, or a line where it does not wrap; with no ring at all it is a mesh.
//
// Routers are numbered with the first dimension fastest. The local ports are
// 2d (toward higher coordinates in dimension d) and 2d+1 (toward lower ones),
// then one for each NIC of each host. A ring of two routers has two links
// between them, one for each direction of travel.
type Torus struct {
	dims    []int
	strides []int
	wrap    []bool
	hosts   int
	classes []string
	graph   *Graph
}

// NewTorus returns the torus with one host a router, all links alike. wrap tells
// for each dimension whether it is a ring; nil means that all are. It fails if
// there are no dimensions or too many, a size is not positive, or the network is
// too large to number.
func NewTorus(dims []int, wrap []bool, nicsPerHost int) (*Torus, error) {
	return newTorus(TorusSpec{Dims: dims, Wrap: wrap, Hosts: 1}, nicsPerHost, []string{LinkRouter: "link", LinkHost: "host"})
}

// NewTorusOf returns the torus of the description, with a class of links for each dimension.
func NewTorusOf(s TorusSpec, nicsPerHost int) (*Torus, error) {
	return newTorus(s, nicsPerHost, nil)
}

func newTorus(s TorusSpec, nics int, classes []string) (*Torus, error) {
	if err := ready(s, nics); err != nil {
		return nil, err
	}
	t := &Torus{dims: append([]int(nil), s.Dims...), wrap: make([]bool, len(s.Dims)), hosts: s.Hosts, classes: classes}
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
	if c.sizes("dims", s.Dims, MaxDims, "the sizes of the dimensions, such as [8, 8, 8]") && c.count("hosts", s.Hosts, 0) {
		c.fits("dims", s.Dims, s.Size())
	}
	c.demand(s.Wrap == nil || len(s.Wrap) == len(s.Dims), "wrap", figures.Plural(len(s.Wrap), "entry"),
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

// link is the other end of a router's port that leads one step in a dimension.
func (t *Torus) link(r, p int) (peer, peerPort int) {
	d, step := p/2, 1-p%2*2
	k := t.dims[d]
	c := r / t.strides[d] % k
	next := c + step
	if k == 1 || !t.wrap[d] && (next < 0 || next >= k) {
		return int(Unconnected), 0
	}
	next = (next + k) % k
	return r + (next-c)*t.strides[d], p ^ 1 // the neighbour's port that looks back at us
}

// Kind is "torus", or "mesh" if no dimension wraps.
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

// LinkClasses names the dimensions x, y, z, a, b, c; or one class "link".
func (t *Torus) LinkClasses() []string { return t.classes }

// Dims returns the sizes; the caller must not change them.
func (t *Torus) Dims() []int { return t.dims }

// Wraps tells whether dimension d is a ring.
func (t *Torus) Wraps(d int) bool { return t.wrap[d] }

// Hosts is the number of hosts of each router; host h is at router h / Hosts.
func (t *Torus) Hosts() int { return t.hosts }

// Coord is the coordinate of a router in dimension d.
func (t *Torus) Coord(router, d int) int { return router / t.strides[d] % t.dims[d] }

// RouterName is the coordinate vector, such as "(3,0,1)".
func (t *Torus) RouterName(router int) string { return coordName(router, t.dims) }

// PortName is the direction in which a port leads: "+x" and "-x" to "+c" and
// "-c" for the dimensions x, y, z, a, b, c, and "nic0" and so on for NICs
// ("host0" and so on where a router has several hosts).
func (t *Torus) PortName(_, port int) string {
	if port >= 2*len(t.dims) {
		return nicName(port-2*len(t.dims), t.hosts, t.graph.NICsPerHost)
	}
	sign := "+-"[port&1]
	return string(sign) + dimNames[port/2:port/2+1]
}

// Hops is the signed number of steps in dimension d on a shortest way from
// coordinate a to b; a tie on a ring counts as positive, and tie reports it.
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

// Distance is the least number of links between the routers of two hosts.
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
