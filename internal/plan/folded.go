package plan

import (
	"fmt"
	"slices"

	"fabricast/experiment"
	"fabricast/topology"
)

// foldedHosts returns the hosts in the order of the mapping "folded", for a torus or mesh of 2n
// dimensions. Each pair of dimensions forms one virtual dimension, which runs back and forth: up
// along the first dimension, one step along the second, down along the first, and so on. A link
// connects each two neighbours of the virtual dimension. If the second dimension has size 2, a link
// also connects its two ends, so that it is a ring. Ranks are numbered with the first virtual
// dimension fastest. The Tofu interconnect forms a three-dimensional torus from six dimensions in
// this way (Ajima, Sumimoto and Shimizu, IEEE Computer 42(11), 2009).
func foldedHosts(e *experiment.Resolved, t topology.Topology) ([]int32, error) {
	torus, ok := t.(topology.Rings)
	if !ok || len(torus.Dims())%2 != 0 || torus.Hosts() != 1 {
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
			if virtual[i]++; virtual[i] < rings[i].length*rings[i].folds {
				break
			}
			virtual[i] = 0
		}
	}
	return hosts, nil
}

// foldedRing is a virtual dimension that consists of two dimensions of the network.
type foldedRing struct {
	length, folds int // sizes of the first and of the second dimension
	along, across int // how much the host index grows with a step along each of them
}

// host returns what position v of the ring contributes to the index of a host.
func (r *foldedRing) host(v int) int {
	up, fold := v%r.length, v/r.length
	if fold%2 == 1 {
		up = r.length - 1 - up
	}
	return up*r.along + fold*r.across
}

// foldedRings returns the rings of mapping.axes; by default dimensions i and n+i form ring i.
func foldedRings(e *experiment.Resolved, dims []int) ([]foldedRing, error) {
	n := len(dims) / 2
	axes := e.Mapping.Axes
	if len(axes) == 0 {
		for i := range n {
			axes = append(axes, i, n+i)
		}
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
	rings := make([]foldedRing, n)
	for i := range rings {
		along, across := axes[2*i], axes[2*i+1]
		rings[i] = foldedRing{dims[along], dims[across], strides[along], strides[across]}
	}
	return rings, nil
}
