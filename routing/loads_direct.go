package routing

import "fabricast/topology"

// walkDirect is walk for Direct. From most routers to most others there is only one route. Traffic
// between such routers is added up first, and follows the route together. The headers of other
// pairs are computed where a packet has to choose.
func (m *meanLoads) walkDirect(pairs Pairs, d *Direct) bool {
	n := m.graph.Routers
	if n > demandRoom/n {
		return m.walk(pairs, d)
	}
	w := onlyWays{
		meanLoads: m, direct: d,
		ports: make([]int32, n*n), routes: make([]routeKind, n*n), amount: make([]float64, n*n),
	}
	arrived := true
	pairs(func(src, dst int32, share float64) bool {
		hops := w.add(src, dst, share)
		arrived = hops >= 0
		return arrived && m.spend(int64(hops)+1)
	})
	return arrived && !m.exhausted && w.together()
}

// onlyWays is a table of the next hop between each two routers where there is only one. The index
// of its tables is router*routers+destination.
type onlyWays struct {
	*meanLoads
	direct *Direct
	ports  []int32 // the port plus 1, or unknownWay or severalWays
	routes []routeKind
	amount []float64 // of traffic whose only route has not been followed yet
	list   []Candidate
}

const (
	unknownWay  int32 = 0
	severalWays int32 = -1
)

// routeKind says whether there is a choice on the way from one router to another.
type routeKind uint8

const (
	unknownRoute routeKind = iota
	onlyRoute              // there is none, and packets arrive
	openRoute
)

// add adds the traffic of one pair, up to the router from which there is only one route. It returns
// the number of hops that were followed, -1 if packets never arrive.
func (w *onlyWays) add(src, dst int32, share float64) int {
	g := w.graph
	at, to := w.routerOf(src), w.routerOf(dst)
	var header uint64
	several := false // of the ways so far one was chosen by the header, which is known
	for hops := range longestWalk {
		if w.only(at, to) {
			w.amount[int(at)*g.Routers+int(to)] += share
			w.load[g.NICPort[dst]] += share
			return hops
		}
		port := w.port(at, to)
		if port == severalWays {
			if !several {
				header, several = w.direct.headerOf(src, dst), true
			}
			next, _, _ := w.direct.Next(at, header)
			port = int32(next) + 1
		}
		out := g.PortBase[at] + port - 1
		w.load[out] += share
		peer := g.Ports[out].Peer
		if peer == topology.Unconnected {
			return -1
		}
		at = g.Ports[peer].Router
	}
	return -1
}

// only reports whether there is only one route between two routers, and packets arrive.
func (w *onlyWays) only(from, to int32) bool {
	kind := &w.routes[int(from)*w.graph.Routers+int(to)]
	if *kind == unknownRoute {
		*kind = w.explore(from, to)
	}
	return *kind == onlyRoute
}

// explore follows the route between two routers up to the first choice, and returns its kind.
func (w *onlyWays) explore(at, to int32) routeKind {
	for hops := 0; at != to; hops++ {
		port := w.port(at, to)
		if port == severalWays || hops == longestWalk {
			return openRoute
		}
		peer := w.graph.Ports[w.graph.PortBase[at]+port-1].Peer
		if peer == topology.Unconnected {
			return openRoute
		}
		at = w.graph.Ports[peer].Router
	}
	return onlyRoute
}

// together adds the loads of the traffic between routers with only one route. It returns false if
// the effort is exceeded.
func (w *onlyWays) together() bool {
	n := int32(w.graph.Routers)
	for from := range n {
		for to := range n {
			amount := w.amount[from*n+to]
			if amount == 0 {
				continue
			}
			hops := int64(0)
			for at := from; at != to; hops++ {
				out := w.graph.PortBase[at] + w.ports[at*n+to] - 1
				w.load[out] += amount
				at = w.graph.Ports[w.graph.Ports[out].Peer].Router
			}
			if !w.spend(hops) {
				return false
			}
		}
	}
	return true
}

// port returns the port of the only next hop between two routers plus 1, or severalWays.
func (w *onlyWays) port(at, to int32) int32 {
	p := &w.ports[int(at)*w.graph.Routers+int(to)]
	if *p == unknownWay {
		*p = severalWays
		if w.list = w.direct.leg.ways(at, to, w.list[:0]); len(w.list) == 1 {
			*p = int32(w.list[0].Port) + 1
		}
	}
	return *p
}
