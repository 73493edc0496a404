package routing

import "fabricast/topology"

// walkDirect is walk for Direct. From most routers to most others there is only one route. Traffic
// between such routers is added up first, and follows the route together. The headers of other
// pairs are computed where a packet has to choose.
func (m *meanLoads) walkDirect(d *Direct) bool {
	n := m.graph.Routers
	if n > demandRoom/n {
		return m.walk(d)
	}
	w := onlyWays{
		meanLoads: m, direct: d,
		ports: make([]int32, n*n), routes: make([]routeKind, n*n), amount: make([]float64, n*n),
	}
	return m.each(w.add) && w.together()
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

// add adds a flow to the NICs of one router, up to the router from which there is only one route. It
// returns the number of hops that were followed, -1 if packets never arrive. Up to the first choice
// the packets to all NICs go together.
func (w *onlyWays) add(f Flow) int {
	at, to := w.routers[f.Src], w.routers[f.First]
	for hops := range longestWalk {
		if w.only(at, to) {
			w.finish(at, to, &f)
			return hops
		}
		port := w.port(at, to)
		if port == severalWays {
			return w.divide(at, hops, f)
		}
		if at = w.pass(at, port, &f); at < 0 {
			return -1
		}
	}
	return -1
}

// divide adds the rest of a flow from a router on, where packets choose by their headers. It returns
// the number of hops that were followed, -1 if packets never arrive.
func (w *onlyWays) divide(at int32, before int, f Flow) int {
	hops := before
	for dst := f.First; dst < f.First+f.N; dst++ {
		n := w.followOne(at, Flow{Src: f.Src, First: dst, N: 1, Share: f.Share})
		if n < 0 {
			return n
		}
		hops += n
	}
	return hops
}

// followOne is divide for one destination.
func (w *onlyWays) followOne(at int32, f Flow) int {
	to, header := w.routers[f.First], w.direct.headerOf(f.Src, f.First)
	for hops := range longestWalk {
		if w.only(at, to) {
			w.finish(at, to, &f)
			return hops
		}
		port := w.port(at, to)
		if port == severalWays {
			next, _, _ := w.direct.Next(at, header)
			port = int32(next) + 1
		}
		if at = w.pass(at, port, &f); at < 0 {
			return -1
		}
	}
	return -1
}

// finish adds a flow to the traffic between two routers with only one route, and to the loads of the
// ports to its destinations.
func (w *onlyWays) finish(at, to int32, f *Flow) {
	f.addTo(&w.amount[int(at)*w.graph.Routers+int(to)])
	w.arrive(f)
}

// pass adds a flow to the load of a port, whose number at its router is port-1. It returns the next
// router, a negative number if there is none.
func (w *onlyWays) pass(at, port int32, f *Flow) int32 {
	out := w.graph.PortBase[at] + port - 1
	f.addTo(&w.load[out])
	if peer := w.graph.Ports[out].Peer; peer != topology.Unconnected {
		return w.graph.Ports[peer].Router
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
