package loads

import (
	"fabricast/routing/internal/legs"
	"fabricast/topology"
)

// OneRoute is an algorithm with one route for each pair of NICs, made of a leg.
type OneRoute struct {
	Function
	Leg    legs.Leg
	Ways   EvenWays
	Header func(src, dst int32) uint64
}

// Single adds up the loads of an algorithm that uses one route for each pair. Where there is only
// one route between routers it adds up all traffic to a router at once; otherwise it follows the
// route of each pair.
func (m *Mean) Single(d *OneRoute) bool {
	if !m.chooses(d) {
		if m.Direct(oneWay(d.Ways)) {
			return true
		}
		clear(m.Load)
	}
	return !m.exhausted && m.walkDirect(d)
}

// chooses reports whether packets from the router of the first NIC have a choice on their first hop.
func (m *Mean) chooses(d *OneRoute) bool {
	var list []legs.Candidate
	for _, to := range m.graph.HostedRouters() {
		if from := m.routers[0]; from != to {
			list = d.Leg.Ways(from, to, list[:0])
		}
		if len(list) > 1 {
			return true
		}
	}
	return false
}

// walkDirect is walk for single. From most routers to most others there is only one route. Traffic
// between such routers is added up first, and follows the route together. The headers of other
// pairs are computed where a packet has to choose.
func (m *Mean) walkDirect(d *OneRoute) bool {
	n := m.graph.Routers
	if n > demandRoom/n {
		return m.Walk(d)
	}
	w := onlyWays{
		Mean: m, direct: d,
		known: make([]knownWay, n*n), amount: make([]float64, n*n),
	}
	return m.each(w.add) && w.together()
}

// onlyWays is a table of the next hop between each two routers where there is only one. The index
// of its tables is router*routers+destination.
type onlyWays struct {
	*Mean
	direct *OneRoute
	known  []knownWay
	amount []float64 // of traffic whose only route has not been followed yet
	list   []legs.Candidate
	path   []int32 // see find
}

// knownWay is what is known of the next hop from one router to another: the port of the only one
// plus 1, or severalWays, or 0 if it has not been looked at. The bit onlyRoute is set if there is
// no choice on the whole route, and packets arrive.
type knownWay uint32

const (
	onlyRoute   knownWay = 1 << 31
	severalWays knownWay = 1 << 30
)

// port returns the number of the only port at its router.
func (k knownWay) port() int32 { return int32(k&^onlyRoute) - 1 }

// add adds a flow to the NICs of one router, up to the router from which there is only one route. It
// returns the number of hops that were followed, -1 if packets never arrive. Up to the first choice
// the packets to all NICs go together.
func (w *onlyWays) add(f Flow) int {
	at, hops := w.along(w.routers[f.Src], &f)
	if hops < 0 || at < 0 {
		return hops
	}
	for dst := f.First; dst < f.First+f.N; dst++ {
		n := w.choose(at, Flow{Src: f.Src, First: dst, N: 1, Share: f.Share})
		if n < 0 {
			return n
		}
		hops += n
	}
	return hops
}

// choose is add for a flow to one NIC, from a router on at which packets choose by their headers.
func (w *onlyWays) choose(at int32, f Flow) int {
	header := w.direct.Header(f.Src, f.First)
	for hops := 1; hops < longestWalk; hops++ {
		port, _, _ := w.direct.Next(at, header)
		if at = w.pass(at, int32(port), &f); at < 0 {
			return -1
		}
		next, n := w.along(at, &f)
		switch hops += n; {
		case n < 0:
			return n
		case next < 0:
			return hops
		}
		at = next
	}
	return -1
}

// along follows a flow up to the first router at which packets choose, which it returns with the
// number of hops. Where there is only one route left, the flow is added to the traffic between the
// two routers instead, and the router is -1. The number of hops is -1 if packets never arrive.
func (w *onlyWays) along(at int32, f *Flow) (router int32, hops int) {
	to := w.routers[f.First]
	for at != to {
		k := w.way(at, to)
		if k&onlyRoute != 0 {
			f.addTo(&w.amount[int(at)*w.graph.Routers+int(to)])
			break
		}
		if k == severalWays {
			return at, hops
		}
		if at = w.pass(at, k.port(), f); at < 0 || hops == longestWalk {
			return -1, -1
		}
		hops++
	}
	w.arrive(f)
	return -1, hops
}

// pass adds a flow to the load of a router's port. It returns the next router, a negative number if
// there is none.
func (w *onlyWays) pass(at, port int32, f *Flow) int32 {
	out := w.graph.PortBase[at] + port
	f.addTo(&w.Load[out])
	return w.beyond(out)
}

// beyond returns the router at the other end of a port, a negative number if there is none.
func (w *onlyWays) beyond(port int32) int32 {
	if peer := w.graph.Ports[port].Peer; peer != topology.Unconnected {
		return w.graph.Ports[peer].Router
	}
	return -1
}

// way returns what is known of the next hop from one router to another.
func (w *onlyWays) way(at, to int32) knownWay {
	k := &w.known[int(at)*w.graph.Routers+int(to)]
	if *k == 0 {
		w.find(at, to)
	}
	return *k
}

// find fills in the next hops on the route between two routers, up to the first choice or to where
// they are known.
func (w *onlyWays) find(at, to int32) {
	n, last := w.graph.Routers, onlyRoute
	w.path = w.path[:0]
	for at >= 0 && at != to {
		k := &w.known[int(at)*n+int(to)]
		if *k == 0 {
			*k = w.look(at, to)
			w.path = append(w.path, at)
		} else {
			last = *k & onlyRoute // 0 if the route has come back to where it was
			break
		}
		if *k == severalWays {
			break
		}
		at = w.beyond(w.graph.PortBase[at] + k.port())
	}
	if at < 0 || w.known[int(at)*n+int(to)] == severalWays {
		return
	}
	for _, router := range w.path {
		w.known[int(router)*n+int(to)] |= last
	}
}

// look asks the routing for the next hops between two routers.
func (w *onlyWays) look(at, to int32) knownWay {
	if w.list = w.direct.Leg.Ways(at, to, w.list[:0]); len(w.list) == 1 {
		return knownWay(w.list[0].Port) + 1
	}
	return severalWays
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
				out := w.graph.PortBase[at] + w.known[at*n+to].port()
				w.Load[out] += amount
				at = w.beyond(out)
			}
			if !w.spend(hops) {
				return false
			}
		}
	}
	return true
}
