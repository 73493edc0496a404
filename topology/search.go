package topology

import "sync/atomic"

// Distances finds distances in a graph by breadth-first search: for networks
// without a formula. It keeps what it found, of large networks only that of the
// last source. It may be used by several goroutines.
type Distances struct {
	graph *Graph
	keep  int                   // the row of router r is kept at r modulo this
	rows  []atomic.Pointer[row] // that were searched
}

// row holds the distances from a router to every other; -1: no way.
type row struct {
	from  int
	links []int32
}

// keptDistances bounds how many distances are kept.
const keptDistances = 1 << 24

// NewDistances is for the routers of a graph.
func NewDistances(g *Graph) *Distances {
	keep := g.Routers
	if keep*keep > keptDistances {
		keep = 1
	}
	return &Distances{graph: g, keep: keep, rows: make([]atomic.Pointer[row], keep)}
}

// Hosts is the least number of links between routers on the way between two
// hosts; -1 if there is no way.
func (d *Distances) Hosts(a, b int) int {
	a, b = d.graph.HostRouter(a), d.graph.HostRouter(b)
	if known := d.graph.hops.known.Load(); known != nil {
		return known.Between(int32(a), int32(b))
	}
	return int(d.From(a)[b])
}

// From returns the distances from a router to every other, -1 where there is no
// way. The caller must not change them.
func (d *Distances) From(router int) []int32 {
	place := &d.rows[router%d.keep]
	if r := place.Load(); r != nil && r.from == router {
		return r.links
	}
	r := &row{from: router, links: d.search(router)}
	place.Store(r)
	return r.links
}

func (d *Distances) search(from int) []int32 {
	links := make([]int32, d.graph.Routers)
	for i := range links {
		links[i] = -1
	}
	links[from] = 0
	queue := append(make([]int32, 0, d.graph.Routers), int32(from))
	for i := 0; i < len(queue); i++ {
		r := queue[i]
		for p := d.graph.PortBase[r]; p < d.graph.PortBase[r+1]; p++ {
			if n := d.graph.PeerRouter(int(p)); n >= 0 && links[n] < 0 {
				links[n] = links[r] + 1
				queue = append(queue, int32(n))
			}
		}
	}
	return links
}
