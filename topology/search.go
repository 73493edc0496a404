package topology

import "sync/atomic"

// Distances finds distances in a graph by breadth-first search, for networks without a distance
// formula. It caches the results; on networks too large for that (see keptDistances) it caches only
// those of the latest source. It is safe for concurrent use.
type Distances struct {
	graph *Graph
	keep  int                   // the row of router r is at index r modulo keep
	rows  []atomic.Pointer[row] // distances from each source router that was searched
}

// row holds the distances from a router to every other, in links, or -1 where no path exists.
type row struct {
	from  int
	links []int32
}

// keptDistances is the maximum number of distances that a Distances caches.
const keptDistances = 1 << 24

// NewDistances returns a Distances for a graph.
func NewDistances(g *Graph) *Distances {
	keep := g.Routers
	if keep*keep > keptDistances {
		keep = 1
	}
	return &Distances{graph: g, keep: keep, rows: make([]atomic.Pointer[row], keep)}
}

// Hosts returns the minimum number of links between the routers of two hosts, or -1 if no path
// exists.
func (d *Distances) Hosts(a, b int) int {
	a, b = d.graph.HostRouter(a), d.graph.HostRouter(b)
	if known := d.graph.hops.known.Load(); known != nil {
		return known.Between(int32(a), int32(b))
	}
	return int(d.From(a)[b])
}

// From returns the distances from a router to every other, in links, or -1 where no path exists.
// The caller must not change them.
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
		if int(r) != from && !d.graph.Forwards(int(r)) {
			continue
		}
		for p := d.graph.PortBase[r]; p < d.graph.PortBase[r+1]; p++ {
			if n := d.graph.NextRouter(int(p)); n >= 0 && links[n] < 0 {
				links[n] = links[r] + 1
				queue = append(queue, int32(n))
			}
		}
	}
	return links
}
