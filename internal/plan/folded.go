package plan

import (
	"fabricast/internal/experiment"
	"fabricast/topology"
)

// foldedHosts returns the hosts in the order of the mapping "folded", for a torus or mesh of 2n
// dimensions. Dimensions i and n+i form one virtual dimension together: it runs up along dimension
// i, takes a step in dimension n+i, runs down, and so on. Neighbours in it are joined by a link, and
// where dimension n+i has two routers, so are its ends. Ranks are numbered with the first virtual
// dimension fastest. So the Tofu interconnect makes a torus of three dimensions from six (Ajima,
// Sumimoto and Shimizu, IEEE Computer 42(11), 2009).
func foldedHosts(e *experiment.Resolved, t topology.Topology) ([]int32, error) {
	torus, ok := t.(*topology.Torus)
	if !ok || len(torus.Dims())%2 != 0 || torus.Hosts() != 1 {
		return nil, e.Refuse("mapping.order", experiment.MappingFolded, "a torus or mesh of an "+
			"even number of dimensions, one host a router", "")
	}
	dims := torus.Dims()
	n := len(dims) / 2
	strides, virtual := make([]int, len(dims)), make([]int, n)
	size := 1
	for d, k := range dims {
		strides[d] = size
		size *= k
	}
	hosts := make([]int32, 0, e.Ranks)
	for len(hosts) < e.Ranks {
		host := 0
		for i, v := range virtual {
			along, fold := v%dims[i], v/dims[i]
			if fold%2 == 1 {
				along = dims[i] - 1 - along
			}
			host += along*strides[i] + fold*strides[n+i]
		}
		for range e.Node.Ranks {
			if len(hosts) < e.Ranks {
				hosts = append(hosts, int32(host))
			}
		}
		for i := range virtual { // the next place
			if virtual[i]++; virtual[i] < dims[i]*dims[n+i] {
				break
			}
			virtual[i] = 0
		}
	}
	return hosts, nil
}
