package topology

import (
	"fmt"

	"fabricast/internal/figures"
)

// MaxHyperXDims is the most dimensions of a HyperX.
const MaxHyperXDims = 16

// HyperXSpec describes a HyperX.
type HyperXSpec struct {
	Dims  []int // routers in each dimension
	Width []int // parallel links between two routers, for each dimension; nil: one
	Hosts int   // of each router; 0 where the routers only join others
}

// HyperX is a network in which the routers of every line along every dimension
// are fully connected (Ahn, Binkert, Davis, McLaren and Schreiber, SC 2009). With
// as many hosts a router as routers in each dimension it is the flattened
// butterfly (Kim, Dally and Abts, ISCA 2007), with two routers in each the
// hypercube.
//
// Routers are numbered with the first dimension fastest. The local ports are,
// dimension by dimension, those toward the other coordinates in rising order
// (as many for each as the dimension is wide), then one for each NIC of each host.
type HyperX struct {
	kind    string
	dims    []int
	strides []int
	width   []int
	base    []int // first port of each dimension; after the last, the first NIC's
	hosts   int
	classes []string
	owner   []uint8 // dimension of a port
	graph   *Graph
}

// NewHyperX lays a HyperX out, with a class of links for each dimension.
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
	right = c.demand(s.Width == nil || len(s.Width) == len(s.Dims), "width", figures.Plural(len(s.Width), "entry"),
		fmt.Sprintf("one for each of the %d dimensions", len(s.Dims))) && right
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
	return Size{Routers: routers, Hosts: product(max(routers, 0), s.Hosts), Links: product(max(routers, 0), links)}
}

// Build implements Spec.
func (s HyperXSpec) Build(nics int) (Topology, error) { return NewHyperX(s, nics) }

// far is the other end of a port.
func (h *HyperX) far(r, p int) (peer, peerPort int, class uint16) {
	d := int(h.owner[p])
	own := r / h.strides[d] % h.dims[d]
	to, lane := h.Toward(own, p)
	return r + (to-own)*h.strides[d], h.Port(d, to, own, lane), h.class(d)
}

func (h *HyperX) class(d int) uint16 { return min(dimClass(d), uint16(len(h.classes))-1) }

// Kind is "hyperx".
func (h *HyperX) Kind() string { return h.kind }

// Graph returns the network.
func (h *HyperX) Graph() *Graph { return h.graph }

// LinkClasses names the dimensions: x, y, z, a, b and so on.
func (h *HyperX) LinkClasses() []string { return h.classes }

// Dims returns the sizes; the caller must not change them.
func (h *HyperX) Dims() []int { return h.dims }

// Width is the number of parallel links between two routers in dimension d.
func (h *HyperX) Width(d int) int { return h.width[d] }

// Hosts is the number of hosts of each router; host h is at router h / Hosts.
func (h *HyperX) Hosts() int { return h.hosts }

// Coord is the coordinate of a router in dimension d.
func (h *HyperX) Coord(router, d int) int { return router / h.strides[d] % h.dims[d] }

// Port is the local port that leads in dimension d from coordinate own to
// another, by one of the parallel links.
func (h *HyperX) Port(d, own, to, lane int) int {
	if to > own {
		to--
	}
	return h.base[d] + to*h.width[d] + lane
}

// PortDim is the dimension of a port that leads to another router.
func (h *HyperX) PortDim(port int) int { return int(h.owner[port]) }

// Toward is the coordinate to which a port leads from coordinate own of its
// dimension, and which of the parallel links it is.
func (h *HyperX) Toward(own, port int) (to, lane int) {
	d := h.owner[port]
	to, lane = (port-h.base[d])/h.width[d], (port-h.base[d])%h.width[d]
	if to >= own {
		to++
	}
	return to, lane
}

// FirstNIC is the local port of a router's first NIC.
func (h *HyperX) FirstNIC() int { return h.base[len(h.dims)] }

// RouterName is the coordinate vector, such as "(3,0)".
func (h *HyperX) RouterName(router int) string { return coordName(router, h.dims) }

// PortName is the dimension and the coordinate to which a port leads: "x3", or
// "x3.1" for the second of parallel links.
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

// Distance is the number of dimensions in which the routers of two hosts differ.
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
