package plan

import (
	"fmt"
	"slices"

	"fabricast/experiment"
	"fabricast/topology"
)

// foldedHosts returns the hosts in the order of the mapping "folded", for a torus or mesh. Each
// ring of the mapping is a virtual dimension, formed by two dimensions of the network, or by more.
// It runs back and forth: up along the first dimension, one step along the second, down along the
// first, and so on; at the end of the second dimension one step along the third, and back. A link
// connects each two neighbours of the virtual dimension. If the last dimension has size 2, a link
// also connects its two ends, so that it is a ring. Ranks are numbered with the first virtual
// dimension fastest. The Tofu interconnect forms a three-dimensional torus from six dimensions in
// this way (Ajima, Sumimoto and Shimizu, IEEE Computer 42(11), 2009).
func foldedHosts(e *experiment.Resolved, t topology.Topology) ([]int32, error) {
	torus, ok := t.(topology.Rings)
	if !ok || torus.Hosts() != 1 || len(torus.Dims())%2 != 0 && len(e.Mapping.Rings) == 0 {
		return nil, e.Refuse("mapping.order", experiment.MappingFolded, "a torus or mesh of an "+
			"even number of dimensions, one host a router", "")
	}
	rings, err := foldedRings(e, torus.Dims())
	if err != nil {
		return nil, err
	}
	virtual := make([]int, len(rings))
	hosts := make([]int32, 0, e.Ranks)
	for len(hosts) < e.Ranks {
		host := 0
		for i, v := range virtual {
			host += rings[i].host(v)
		}
		for range e.Node.Ranks {
			if len(hosts) < e.Ranks {
				hosts = append(hosts, int32(host))
			}
		}
		for i := range virtual { // advance to the next position, as an odometer does
			if virtual[i]++; virtual[i] < rings[i].size() {
				break
			}
			virtual[i] = 0
		}
	}
	return hosts, nil
}

// foldedRing is a virtual dimension that consists of several dimensions of the network.
type foldedRing struct {
	lengths []int // sizes of the dimensions, from the one that it runs along
	strides []int // how much the host index grows with a step along each of them
}

// size returns the number of positions of the ring.
func (r *foldedRing) size() int {
	n := 1
	for _, k := range r.lengths {
		n *= k
	}
	return n
}

// host returns what position v of the ring contributes to the index of a host.
func (r *foldedRing) host(v int) int {
	host := 0
	for i, k := range r.lengths {
		at, pass := v%k, v/k
		if pass%2 == 1 {
			at = k - 1 - at
		}
		host += at * r.strides[i]
		v = pass
	}
	return host
}

// foldedRings returns the rings of mapping.axes and mapping.rings; by default dimensions i and n+i
// form ring i.
func foldedRings(e *experiment.Resolved, dims []int) ([]foldedRing, error) {
	n := len(dims) / 2
	axes, parts := e.Mapping.Axes, e.Mapping.Rings
	if len(axes) == 0 {
		for i := range n {
			axes = append(axes, i, n+i)
		}
	}
	if len(parts) == 0 {
		parts = slices.Repeat([]int{2}, n)
	}
	sorted := slices.Clone(axes)
	slices.Sort(sorted)
	strides, size := make([]int, len(dims)), 1
	for d, k := range dims {
		strides[d] = size
		size *= k
		if len(sorted) != len(dims) || sorted[d] != d {
			return nil, e.Refuse("mapping.axes", fmt.Sprint(axes),
				fmt.Sprintf("each of the dimensions 0 to %d once, two for each ring", len(dims)-1), "")
		}
	}
	rings := make([]foldedRing, len(parts))
	for i, k := range parts {
		if k < 1 || k > len(axes) || i == len(parts)-1 && k != len(axes) {
			return nil, e.Refuse("mapping.rings", fmt.Sprint(parts),
				fmt.Sprintf("positive numbers whose sum is that of the dimensions, %d", len(dims)), "")
		}
		for _, d := range axes[:k] {
			rings[i].lengths = append(rings[i].lengths, dims[d])
			rings[i].strides = append(rings[i].strides, strides[d])
		}
		axes = axes[k:]
	}
	return rings, nil
}
