// Package loads adds up what traffic puts on each link in the mean, from what routing algorithms say of
// their routes.
package loads

import (
	"iter"

	"fabricast/topology"
)

// Flow is the traffic from one NIC to each of N consecutive ones from First on, which may include
// itself. Share is what goes to each of them, in any unit.
type Flow struct {
	Src, First, N int32
	Share         float64
}

// Flows calls visit with all traffic of a network, some of it at a time, and always in the same
// order. A pair of NICs may come more than once. It ends early when visit returns false. The slice
// is valid until visit returns.
type Flows func(visit func(some []Flow) bool)

// Effort limits the work of MeanLoads.
type Effort struct {
	Steps int64       // hops and flows followed; 0: no limit
	Stop  func() bool // called now and then, and true ends the work; nil: never ends it
}

// Mean adds up the expected loads of router outputs. Each of its methods adds the loads of all
// flows for algorithms of one kind, and returns false if it cannot, or if the effort is exceeded.
type Mean struct {
	Load      []float64 // by global port number
	graph     *topology.Graph
	flows     Flows
	routers   []int32 // by NIC
	effort    Effort
	taken     int64
	exhausted bool // the effort was exceeded
}

// New returns loads of 0, to which the traffic of flows may be added.
func New(g *topology.Graph, flows Flows, e Effort) *Mean {
	return &Mean{graph: g, flows: flows, routers: routersOf(g), Load: make([]float64, len(g.Ports)), effort: e}
}

// Function is a routing function as in package routing, with one route for each pair of NICs.
type Function interface {
	Start(src, dst int32) (header uint64, vc uint8)
	Next(router int32, header uint64) (port, vc uint16, next uint64)
}

// routersOf returns the router of each NIC.
func routersOf(g *topology.Graph) []int32 {
	routers := make([]int32, len(g.NICPort))
	for nic, port := range g.NICPort {
		routers[nic] = g.Ports[port].Router
	}
	return routers
}

// checkEvery is the number of steps between two calls of Effort.Stop.
const checkEvery = 1 << 14

// spend counts steps, and reports whether the effort still allows more.
func (m *Mean) spend(steps int64) bool {
	before := m.taken
	m.taken += steps
	if before/checkEvery != m.taken/checkEvery && m.effort.Stop != nil && m.effort.Stop() ||
		m.effort.Steps > 0 && m.taken > m.effort.Steps {
		m.exhausted = true
	}
	return !m.exhausted
}

// longestWalk is the number of hops after which a route is taken never to arrive.
const longestWalk = 1 << 16

// Walk adds up the loads by following the route of every pair. It returns false if a route does not
// arrive or the effort is exceeded.
func (m *Mean) Walk(f Function) bool {
	return m.each(func(a Flow) int {
		steps := 0
		for dst := a.First; dst < a.First+a.N; dst++ {
			hops := 0
			if a.Src == dst { // out again where it came in
				m.Load[m.graph.NICPort[dst]] += a.Share
			} else {
				hops = m.follow(f, a.Src, dst, a.Share)
			}
			if hops < 0 {
				return hops
			}
			steps += hops
		}
		return steps
	})
}

// each calls visit for all flows, each divided into flows to NICs of one router. visit returns the
// number of hops that it has followed, -1 if packets never arrive. each returns false then, and if
// the effort is exceeded.
func (m *Mean) each(visit func(Flow) int) bool {
	arrived := true
	m.flows(func(some []Flow) bool {
		for _, whole := range some {
			steps := int64(whole.N)
			for f := range m.byRouter(whole) {
				hops := visit(f)
				if hops < 0 {
					arrived = false
					return false
				}
				steps += int64(hops)
			}
			if !m.spend(steps) {
				return false
			}
		}
		return true
	})
	return arrived && !m.exhausted
}

// byRouter yields the parts of a flow that go to the NICs of one router each.
func (m *Mean) byRouter(f Flow) iter.Seq[Flow] {
	return func(yield func(Flow) bool) {
		end := f.First + f.N
		for f.First < end {
			to := m.routers[f.First]
			f.N = 1
			for next := f.First + 1; next < end && m.routers[next] == to; next++ {
				f.N++
			}
			if !yield(f) {
				return
			}
			f.First += f.N
		}
	}
}

// addTo adds a flow's share to a sum, once for each of its destinations. Rounding is the same as if
// each came alone.
func (f *Flow) addTo(sum *float64) {
	s := *sum
	for range f.N {
		s += f.Share
	}
	*sum = s
}

// arrive adds a flow to the loads of the ports to its destinations.
func (m *Mean) arrive(f *Flow) {
	for _, port := range m.graph.NICPort[f.First : f.First+f.N] {
		m.Load[port] += f.Share
	}
}

// follow adds the load of one route and returns its number of hops, -1 if it never arrives.
func (m *Mean) follow(f Function, src, dst int32, share float64) int {
	g := m.graph
	header, _ := f.Start(src, dst)
	router := g.Ports[g.NICPort[src]].Router
	for hops := range longestWalk {
		port, _, next := f.Next(router, header)
		out := &g.Ports[g.PortBase[router]+int32(port)]
		m.Load[g.PortBase[router]+int32(port)] += share
		if out.Peer == topology.Unconnected {
			if out.NIC == dst {
				return hops
			}
			break
		}
		router, header = g.Ports[out.Peer].Router, next
	}
	return -1
}
