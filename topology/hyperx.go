package topology

import (
	"fmt"
	"math"

	"fabricast/internal/humanize"
)

var _ = Register(30, Description[HyperXSpec]{
	Name: "hyperx", Summary: "all routers along each dimension joined to one another", Routing: "dor",
	Defaults: func(s *HyperXSpec, joins bool) { hostsDefault(&s.Hosts, 1, joins) },
	Sized: func(hosts int) HyperXSpec {
		side := root(hosts, 3)
		return HyperXSpec{Dims: box((hosts+side-1)/side, 2), Hosts: side}
	},
	Manual: Manual{
		Section: "hyperx", Routers: "Π k", Hosts: "p Π k", Links: "Σ w (k − 1)", Diameter: "n",
	},
	Examples: []string{"dims: [3, 4], width: [2, 1], hosts: 2"},
})

// MaxHyperXDims is the maximum number of dimensions of a HyperX.
const MaxHyperXDims = 16

// HyperXSpec holds the parameters of a HyperX.
type HyperXSpec struct {
	// routers in each dimension
	Dims []int `yaml:"dims" help:"routers in each dimension"`
	// parallel links between two routers, by dimension; nil: one
	Width []int `yaml:"width" help:"parallel links, for each dimension or level" default:"1"`
	// hosts per router; 0 if the routers only connect blocks of a hierarchy
	Hosts int `yaml:"hosts" help:"of a router" default:"1"`
}

// HyperX is a network in which all routers on a line along any dimension are fully connected (Ahn,
// Binkert, Davis, McLaren and Schreiber, SC 2009). If each router has as many hosts as there are
// routers in a dimension, it is the flattened butterfly (Kim, Dally and Abts, ISCA 2007). With two
// routers in each dimension it is the hypercube.
//
// In router IDs the first dimension varies fastest. The local ports lead, dimension by dimension,
// to the other coordinates in ascending order (with as many parallel links to each as the
// dimension's width), then to each NIC of each host.
type HyperX struct {
	kind    string
	dims    []int
	strides []int
	width   []int
	base    []int // first port of each dimension; the last entry is the first NIC port
	hosts   int
	classes []string
	owner   []uint8 // dimension of each port
	graph   *Graph
}

// NewHyperX builds the HyperX that s describes, with one link class per dimension. It returns an
// error if s is invalid.
func NewHyperX(s HyperXSpec, nicsPerHost int) (*HyperX, error) {
	if err := ready(s, nicsPerHost); err != nil {
		return nil, err
	}
	h := &HyperX{
		kind: "hyperx", dims: append([]int(nil), s.Dims...), width: s.widths(),
		hosts: s.Hosts, classes: dimClasses(len(s.Dims)),
	}
	h.layOut(nicsPerHost)
	return h, nil
}

func (h *HyperX) layOut(nics int) {
	routers, port := 1, 0
	for d, k := range h.dims {
		h.strides = append(h.strides, routers)
		h.base = append(h.base, port)
		routers *= k
		for ; port < h.base[d]+(k-1)*h.width[d]; port++ {
			h.owner = append(h.owner, uint8(d))
		}
	}
	h.base = append(h.base, port)
	h.graph = wiring{
		routers: routers, nics: nics,
		degree: func(int) (int, int) { return port, h.hosts },
		far:    h.far,
	}.layOut()
}

func (s HyperXSpec) widths() []int {
	if s.Width != nil {
		return append([]int(nil), s.Width...)
	}
	width := make([]int, len(s.Dims))
	for d := range width {
		width[d] = 1
	}
	return width
}

// Check implements Spec.
func (s HyperXSpec) Check() []Mistake {
	var c checker
	right := c.sizes("dims", s.Dims, MaxHyperXDims, "the sizes of the dimensions, such as [8, 8]")
	right = c.demand(
		s.Width == nil || len(s.Width) == len(s.Dims),
		"width",
		humanize.Plural(len(s.Width), "entry"),
		fmt.Sprintf("one for each of the %d dimensions", len(s.Dims)),
	) &&
		right
	for d, w := range s.Width {
		right = c.count(fmt.Sprintf("width[%d]", d), w, 1) && right
	}
	if c.count("hosts", s.Hosts, 0) && right {
		c.fits("dims", s.Dims, s.Size())
	}
	return c.mistakes
}

// Size implements Spec.
func (s HyperXSpec) Size() Size {
	routers, links := product(s.Dims...), 0
	for d, w := range s.widths() {
		way := product(s.Dims[d]-1, w)
		if way < 0 {
			return Size{Routers: routers, Links: -1}
		}
		links += way
	}
	return Size{
		Routers: routers,
		Hosts:   product(max(routers, 0), s.Hosts),
		Links:   product(max(routers, 0), links),
	}
}

// Build implements Spec.
func (s HyperXSpec) Build(nics int) (Topology, error) { return NewHyperX(s, nics) }

// far returns the router and port at the other end of port p, and the link's class.
func (h *HyperX) far(r, p int) (peer, peerPort int, class uint16) {
	d := int(h.owner[p])
	own := r / h.strides[d] % h.dims[d]
	to, lane := h.Toward(own, p)
	return r + (to-own)*h.strides[d], h.Port(d, to, own, lane), h.class(d)
}

func (h *HyperX) class(d int) uint16 { return min(dimClass(d), uint16(len(h.classes))-1) }

// Kind returns "hyperx", or "fully-connected" for a Full.
func (h *HyperX) Kind() string { return h.kind }

// Graph returns the network.
func (h *HyperX) Graph() *Graph { return h.graph }

// LinkClasses returns the names of the dimensions: x, y, z, a, b and so on.
func (h *HyperX) LinkClasses() []string { return h.classes }

// Dims returns the number of routers in each dimension. The caller must not change the list.
func (h *HyperX) Dims() []int { return h.dims }

// Width returns the number of parallel links between two routers in dimension d.
func (h *HyperX) Width(d int) int { return h.width[d] }

// Hosts returns n, the number of hosts of each router. Host h is at router h / n.
func (h *HyperX) Hosts() int { return h.hosts }

// Coord returns the coordinate of a router in dimension d.
func (h *HyperX) Coord(router, d int) int { return router / h.strides[d] % h.dims[d] }

// Port returns the local port that leads in dimension d from coordinate own to coordinate to. lane
// selects one of the parallel links, from 0.
func (h *HyperX) Port(d, own, to, lane int) int {
	if to > own {
		to--
	}
	return h.base[d] + to*h.width[d] + lane
}

// PortDim returns the dimension of a port that leads to another router.
func (h *HyperX) PortDim(port int) int { return int(h.owner[port]) }

// Toward returns the coordinate that a port leads to in its dimension, starting from coordinate
// own, and the index of the link among the parallel ones.
func (h *HyperX) Toward(own, port int) (to, lane int) {
	d := h.owner[port]
	to, lane = (port-h.base[d])/h.width[d], (port-h.base[d])%h.width[d]
	if to >= own {
		to++
	}
	return to, lane
}

// FirstNIC returns the local port of a router's first NIC port.
func (h *HyperX) FirstNIC() int { return h.base[len(h.dims)] }

// RouterName returns the router's coordinates, such as "(3,0)".
func (h *HyperX) RouterName(router int) string { return coordName(router, h.dims) }

// PortName returns the dimension and the coordinate that a port leads to: "x3", or "x3.1" for the
// second of several parallel links.
func (h *HyperX) PortName(router, port int) string {
	if port >= h.FirstNIC() {
		return nicName(port-h.FirstNIC(), h.hosts, h.graph.NICsPerHost)
	}
	d := h.PortDim(port)
	to, lane := h.Toward(h.Coord(router, d), port)
	if h.width[d] > 1 {
		return fmt.Sprintf("%c%d.%d", dimNames[d], to, lane)
	}
	return fmt.Sprintf("%c%d", dimNames[d], to)
}

// Distance returns the number of dimensions in which the routers of two hosts differ. This is the
// number of links between them.
func (h *HyperX) Distance(a, b int) int {
	a, b = a/h.hosts, b/h.hosts
	sum := 0
	for _, k := range h.dims {
		if a%k != b%k {
			sum++
		}
		a /= k
		b /= k
	}
	return sum
}

// Dimensions implements Coordinated.
func (h *HyperX) Dimensions() []Dimension { return dimensions(h.dims) }

// Coordinates implements Coordinated.
func (h *HyperX) Coordinates(router int, list []int) []int {
	return gridCoordinates(router, h.dims, list)
}

// LinkDimension implements Coordinated.
func (h *HyperX) LinkDimension(_, port int) int {
	if port >= h.FirstNIC() {
		return -1
	}
	return h.PortDim(port)
}

// Shape implements Shaped.
func (h *HyperX) Shape() Shape { return Grid{Dims: h.dims} }

// DistanceFormula implements Direct.
func (h *HyperX) DistanceFormula() {}

// Representatives implements Symmetric.
func (h *HyperX) Representatives() int { return 1 }

// WorstGroup implements WorstInGroups: all hosts of a router send to hosts of a neighbouring router
// (Kim, Dally and Abts, ISCA 2007).
func (h *HyperX) WorstGroup() (hosts, routers int) { return h.hosts, 1 }

// Bisection returns the bandwidth of the cut across the dimension for which it is lowest. That
// dimension must have an even size (Ahn and others, SC 2009). Bisection implements Bisected.
func (h *HyperX) Bisection(bandwidth []int64) (rate int64, formula string) {
	best, even := int64(math.MaxInt64), false
	for d, k := range h.dims {
		if k < 2 {
			continue
		}
		cut := int64(h.graph.Routers/k) * h.halves(d) * bandwidth[dimClass(d)]
		if cut < best || cut == best && k%2 == 0 {
			best, even = cut, k%2 == 0
		}
	}
	if !even {
		return 0, ""
	}
	return best, acrossOneDimension
}

// halves returns the number of links between the two halves of a row of routers in dimension d.
func (h *HyperX) halves(d int) int64 {
	k := h.dims[d]
	return int64(k / 2 * ((k + 1) / 2) * h.width[d])
}
