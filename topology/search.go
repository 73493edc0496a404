package topology

import "sync"

// Distances finds distances in a graph by search: for networks without a
// formula. It remembers the distances from the last source, and may be used by
// several goroutines.
type Distances struct {
	graph *Graph
	mu    sync.Mutex
	from  int
	links []int32 // from that router to every other; -1: no way
	queue []int32
}

// NewDistances is for the routers of a graph.
func NewDistances(g *Graph) *Distances { return &Distances{graph: g, from: -1} }

// Hosts is the least number of links between routers on the way between two
// hosts; -1 if there is no way.
func (d *Distances) Hosts(a, b int) int {
	return d.Routers(d.graph.HostRouter(a), d.graph.HostRouter(b))
}

// Routers is the least number of links between two routers; -1 if there is no way.
func (d *Distances) Routers(a, b int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	if a != d.from {
		d.from = a
		d.search()
	}
	return int(d.links[b])
}

// search is breadth first.
func (d *Distances) search() {
	if d.links == nil {
		d.links = make([]int32, d.graph.Routers)
		d.queue = make([]int32, 0, d.graph.Routers)
	}
	for i := range d.links {
		d.links[i] = -1
	}
	d.links[d.from] = 0
	d.queue = append(d.queue[:0], int32(d.from))
	for i := 0; i < len(d.queue); i++ {
		r := d.queue[i]
		for p := d.graph.PortBase[r]; p < d.graph.PortBase[r+1]; p++ {
			if n := d.graph.PeerRouter(int(p)); n >= 0 && d.links[n] < 0 {
				d.links[n] = d.links[r] + 1
				d.queue = append(d.queue, int32(n))
			}
		}
	}
}

// From returns the distances from a router to every other, -1 where there is no
// way. The caller must not keep them beyond the next search.
func (d *Distances) From(router int) []int32 {
	d.Routers(router, router)
	return d.links
}
