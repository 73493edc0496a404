package routing

import "fabricast/topology"

// Pairs calls visit for each pair of NICs between which traffic flows, with the pair's share of the
// traffic, in any unit, and always in the same order. A pair may come more than once, and a NIC may
// send to itself. It ends early when visit returns false.
type Pairs func(visit func(src, dst int32, share float64) bool)

// Effort limits the work of MeanLoads.
type Effort struct {
	Steps int64       // hops and pairs followed; 0: no limit
	Stop  func() bool // called now and then, and true ends the work; nil: never ends it
}

// MeanLoads returns the expected load of each router output (Dally and Towles, Principles and
// Practices of Interconnection Networks, 2004, section 3.3), by global port number, in the unit of
// the pairs' shares. It weights random routes by their probabilities.
//
// It returns ok false where loads cannot be computed: where queues decide which ports packets take,
// for algorithms of users, which do not disclose their probabilities, where random choices depend
// on one another in a way that is not followed here, and where the effort is exceeded.
func MeanLoads(g *topology.Graph, algorithm Algorithm, pairs Pairs, e Effort) (load []float64, ok bool) {
	m := &meanLoads{graph: g, load: make([]float64, len(g.Ports)), effort: e}
	switch a := algorithm.(type) {
	case Scattered:
		ok = m.direct(pairs, a.Direct.evenly)
	case Spreading:
		ok = m.direct(pairs, onePort(a.Direct.evenly))
	case dorPacket:
		ok = m.direct(pairs, a.base().evenly)
	case dorQueue:
		ok = m.direct(pairs, a.base().evenly)
	case ROMM:
		ok = m.romm(pairs, a)
	case Valiant:
		ok = m.valiant(pairs, a)
	case *DOR:
		ok = m.rings(pairs, a)
	case *Direct:
		ok = m.single(pairs, a)
	case Randomized:
	case Function:
		ok = m.walk(pairs, a)
	}
	return m.load, ok && !m.exhausted
}

// meanLoads adds up the expected loads of router outputs.
type meanLoads struct {
	graph     *topology.Graph
	load      []float64 // by global port number
	effort    Effort
	taken     int64
	exhausted bool // the effort was exceeded
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
func (m *meanLoads) single(pairs Pairs, d *Direct) bool {
	if m.direct(pairs, oneWay(d.evenly)) {
		return true
	}
	clear(m.load)
	return !m.exhausted && m.walkDirect(pairs, d)
}

// longestWalk is the number of hops after which a route is taken never to arrive.
const longestWalk = 1 << 16

// walk adds up the loads by following the route of every pair. It returns false if a route does not
// arrive or the effort is exceeded.
func (m *meanLoads) walk(pairs Pairs, f Function) bool {
	arrived := true
	pairs(func(src, dst int32, share float64) bool {
		hops := 0
		if src == dst { // out again where it came in
			m.load[m.graph.NICPort[dst]] += share
		} else {
			hops = m.follow(f, src, dst, share)
		}
		arrived = hops >= 0
		return arrived && m.spend(int64(hops)+1)
	})
	return arrived
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
