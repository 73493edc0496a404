package routing

import "fabricast/topology"

// walkDirect is walk for Direct. From most routers to most others there is only one next hop, which
// is looked up once for all pairs; the header is computed only where a packet has to choose.
func (m *meanLoads) walkDirect(pairs Pairs, d *Direct) bool {
	if m.graph.Routers > demandRoom/m.graph.Routers {
		return m.walk(pairs, d)
	}
	w := onlyWays{meanLoads: m, direct: d, ports: make([]int32, m.graph.Routers*m.graph.Routers)}
	arrived := true
	pairs(func(src, dst int32, share float64) bool {
		hops := w.follow(src, dst, share)
		arrived = hops >= 0
		return arrived && m.spend(int64(hops)+1)
	})
	return arrived
}

// onlyWays is a table of the next hop between each two routers where there is only one.
type onlyWays struct {
	*meanLoads
	direct *Direct
	ports  []int32 // by router and destination: the port plus 1, or unknownWay or severalWays
	list   []Candidate
}

const (
	unknownWay  int32 = 0
	severalWays int32 = -1
)

// follow adds the load of one route and returns its number of hops, -1 if it never arrives.
func (w *onlyWays) follow(src, dst int32, share float64) int {
	g := w.graph
	at, to := w.routerOf(src), w.routerOf(dst)
	var header uint64
	several := false // of the ways so far one was chosen by the header, which is known
	for hops := range longestWalk {
		if at == to {
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
