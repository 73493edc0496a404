package topology

import (
	"fmt"
	"strings"
)

// MaxDims is the most dimensions a torus or mesh may have.
const MaxDims = 6

// maxRouters bounds the routers of a torus, so that every port and buffer of
// it has a 32-bit number.
const maxRouters = 1 << 26

// Torus is a k-ary n-cube of up to MaxDims dimensions. Each dimension is a
// ring, or a line where it does not wrap; with no ring at all it is a mesh.
// One host is attached to every router, with all its NICs.
//
// Routers are numbered with the first dimension fastest. The local ports are
// 2d (toward higher coordinates in dimension d) and 2d+1 (toward lower ones),
// then one for each NIC. A ring of two routers has two links between them, one
// for each direction of travel.
type Torus struct {
	dims  []int
	wrap  []bool
	graph *Graph
}

// NewTorus returns the torus with the given sizes. wrap tells for each
// dimension whether it is a ring; nil means that all are. It fails if there are
// no dimensions or too many, a size is not positive, or the network is too
// large to number.
func NewTorus(dims []int, wrap []bool, nicsPerHost int) (*Torus, error) {
	if len(dims) == 0 || len(dims) > MaxDims {
		return nil, fmt.Errorf("a torus has 1 to %d dimensions, not %d", MaxDims, len(dims))
	}
	if wrap != nil && len(wrap) != len(dims) {
		return nil, fmt.Errorf("wrap has %d entries for %d dimensions", len(wrap), len(dims))
	}
	if nicsPerHost < 1 {
		return nil, fmt.Errorf("a host has at least 1 NIC, not %d", nicsPerHost)
	}
	routers := 1
	for _, k := range dims {
		if k < 1 {
			return nil, fmt.Errorf("dimension sizes are at least 1, not %d", k)
		}
		if k > maxRouters/routers {
			return nil, fmt.Errorf("%s is more than the %d routers that can be simulated", shape(dims), maxRouters)
		}
		routers *= k
	}
	t := &Torus{dims: append([]int(nil), dims...), wrap: make([]bool, len(dims))}
	for d := range dims {
		t.wrap[d] = wrap == nil || wrap[d]
	}
	t.graph = t.build(routers, nicsPerHost)
	return t, nil
}

// build lays out the graph: every router has the same number of ports, those
// that lead nowhere stay unconnected.
func (t *Torus) build(routers, nics int) *Graph {
	radix := 2*len(t.dims) + nics
	g := &Graph{
		Routers:     routers,
		Hosts:       routers,
		NICsPerHost: nics,
		PortBase:    make([]int32, routers+1),
		Ports:       make([]Port, routers*radix),
		NICPort:     make([]int32, routers*nics),
	}
	coord := make([]int, len(t.dims))
	for r := range routers {
		base := r * radix
		g.PortBase[r+1] = int32(base + radix)
		stride := 1
		for d, k := range t.dims {
			g.Ports[base+2*d] = t.link(r, coord[d], d, stride, +1, radix)
			g.Ports[base+2*d+1] = t.link(r, coord[d], d, stride, -1, radix)
			stride *= k
		}
		for n := range nics {
			port := base + 2*len(t.dims) + n
			g.Ports[port] = Port{Router: int32(r), Peer: Unconnected, NIC: int32(r*nics + n), Link: LinkHost}
			g.NICPort[r*nics+n] = int32(port)
		}
		advance(coord, t.dims)
	}
	return g
}

// link is the port of router r, at coordinate c of dimension d, that leads one
// step in the given direction.
func (t *Torus) link(r, c, d, stride, step, radix int) Port {
	k := t.dims[d]
	next := c + step
	if k == 1 || !t.wrap[d] && (next < 0 || next >= k) {
		return Port{Router: int32(r), Peer: Unconnected, NIC: Unconnected}
	}
	next = (next + k) % k
	facing := 2 * d // the neighbour's port that looks back at us
	if step > 0 {
		facing++
	}
	peer := (r+(next-c)*stride)*radix + facing
	return Port{Router: int32(r), Peer: int32(peer), NIC: Unconnected, Link: LinkRouter}
}

// advance steps a coordinate vector to the next router, first dimension fastest.
func advance(coord, dims []int) {
	for d := range coord {
		coord[d]++
		if coord[d] < dims[d] {
			return
		}
		coord[d] = 0
	}
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

// Dims returns the sizes; the caller must not change them.
func (t *Torus) Dims() []int { return t.dims }

// Wraps tells whether dimension d is a ring.
func (t *Torus) Wraps(d int) bool { return t.wrap[d] }

// Coord is the coordinate of a router in dimension d.
func (t *Torus) Coord(router, d int) int {
	for i := range d {
		router /= t.dims[i]
	}
	return router % t.dims[d]
}

// RouterName is the coordinate vector, such as "(3,0,1)".
func (t *Torus) RouterName(router int) string {
	var b strings.Builder
	b.WriteByte('(')
	for d, k := range t.dims {
		if d > 0 {
			b.WriteByte(',')
		}
		fmt.Fprint(&b, router%k)
		router /= k
	}
	b.WriteByte(')')
	return b.String()
}

// PortName is the direction in which a port leads: "+x" and "-x" to "+c" and
// "-c" for the dimensions x, y, z, a, b, c, and "nic0" and so on for NICs.
func (t *Torus) PortName(_, port int) string {
	if port >= 2*len(t.dims) {
		return fmt.Sprintf("nic%d", port-2*len(t.dims))
	}
	sign := "+-"[port&1]
	return string(sign) + string("xyzabc"[port/2])
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
	sum := 0
	for d, k := range t.dims {
		h, _ := t.Hops(d, a%k, b%k)
		sum += max(h, -h)
		a /= k
		b /= k
	}
	return sum
}

// shape writes sizes as people do: 64x32x32.
func shape(dims []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(dims), " ", "x"), "[]")
}
