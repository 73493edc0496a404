package routing

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

// MeanLoads returns the expected load of each router output (Dally and Towles, Principles and
// Practices of Interconnection Networks, 2004, section 3.3), by global port number, in the unit of
// the flows' shares. It weights random routes by their probabilities.
//
// It returns ok false where loads cannot be computed: where queues decide which ports packets take,
// for algorithms of users, which do not disclose their probabilities, where random choices depend
// on one another in a way that is not followed here, and where the effort is exceeded.
func MeanLoads(g *topology.Graph, algorithm Algorithm, flows Flows, e Effort) (load []float64, ok bool) {
	m := &meanLoads{
		graph: g, flows: flows, routers: routersOf(g), load: make([]float64, len(g.Ports)), effort: e,
	}
	switch a := algorithm.(type) {
	case Scattered:
		ok = m.direct(a.Direct.evenly)
	case Spreading:
		ok = m.direct(onePort(a.Direct.evenly))
	case dorPacket:
		ok = m.direct(a.base().evenly)
	case dorQueue:
		ok = m.direct(a.base().evenly)
	case ROMM:
		ok = m.romm(a)
	case Valiant:
		ok = m.valiant(a)
	case *DOR:
		ok = m.rings(a)
	case *Direct:
		ok = m.single(a)
	case Randomized:
	case Function:
		ok = m.walk(a)
	}
	return m.load, ok && !m.exhausted
}

// meanLoads adds up the expected loads of router outputs.
type meanLoads struct {
	graph     *topology.Graph
	flows     Flows
	routers   []int32   // by NIC
	load      []float64 // by global port number
	effort    Effort
	taken     int64
	exhausted bool // the effort was exceeded
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
func (m *meanLoads) spend(steps int64) bool {
	before := m.taken
	m.taken += steps
	if before/checkEvery != m.taken/checkEvery && m.effort.Stop != nil && m.effort.Stop() ||
		m.effort.Steps > 0 && m.taken > m.effort.Steps {
		m.exhausted = true
	}
	return !m.exhausted
}

// single adds up the loads of an algorithm that uses one route for each pair. Where there is only
// one route between routers it adds up all traffic to a router at once; otherwise it follows the
// route of each pair.
func (m *meanLoads) single(d *Direct) bool {
	if !m.chooses(d) {
		if m.direct(oneWay(d.evenly)) {
			return true
		}
		clear(m.load)
	}
	return !m.exhausted && m.walkDirect(d)
}

// chooses reports whether packets from the router of the first NIC have a choice on their first hop.
func (m *meanLoads) chooses(d *Direct) bool {
	var list []Candidate
	for _, to := range m.graph.HostedRouters() {
		if from := m.routers[0]; from != to {
			list = d.leg.ways(from, to, list[:0])
		}
		if len(list) > 1 {
			return true
		}
	}
	return false
}

// longestWalk is the number of hops after which a route is taken never to arrive.
const longestWalk = 1 << 16

// walk adds up the loads by following the route of every pair. It returns false if a route does not
// arrive or the effort is exceeded.
func (m *meanLoads) walk(f Function) bool {
	return m.each(func(a Flow) int {
		steps := 0
		for dst := a.First; dst < a.First+a.N; dst++ {
			hops := 0
			if a.Src == dst { // out again where it came in
				m.load[m.graph.NICPort[dst]] += a.Share
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
func (m *meanLoads) each(visit func(Flow) int) bool {
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
func (m *meanLoads) byRouter(f Flow) iter.Seq[Flow] {
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
func (m *meanLoads) arrive(f *Flow) {
	for _, port := range m.graph.NICPort[f.First : f.First+f.N] {
		m.load[port] += f.Share
	}
}

// follow adds the load of one route and returns its number of hops, -1 if it never arrives.
func (m *meanLoads) follow(f Function, src, dst int32, share float64) int {
	g := m.graph
	header, _ := f.Start(src, dst)
	router := g.Ports[g.NICPort[src]].Router
	for hops := range longestWalk {
		port, _, next := f.Next(router, header)
		out := &g.Ports[g.PortBase[router]+int32(port)]
		m.load[g.PortBase[router]+int32(port)] += share
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
