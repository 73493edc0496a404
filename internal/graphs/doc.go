// Package graphs measures networks: distances, bisections, and positions for drawing. Its results
// are only for display, so it may use floating-point numbers; no prediction depends on them.
package graphs

import (
	"slices"

	"fabricast/topology"
)

// Net is a network as an undirected graph of routers, with parallel links merged.
type Net struct {
	Hosts []int // of each router
	base  []int32
	peers []int32 // of router r: peers[base[r]:base[r+1]], in rising order
	rate  []int64 // bandwidth of all links to that peer, in one direction (bytes/s)
	total int     // number of hosts
	ends  []bool  // see topology.Graph.Ends
}

// New makes a Net. bandwidth holds the bandwidth (bytes/s) of each class of links; nil means 1 for
// all.
func New(g *topology.Graph, bandwidth []int64) *Net {
	n := &Net{Hosts: make([]int, g.Routers), base: make([]int32, g.Routers+1), total: g.Hosts, ends: g.Ends}
	for h := range g.Hosts {
		n.Hosts[g.HostRouter(h)]++
	}
	var list []neighbour
	for r := range g.Routers {
		list = list[:0]
		for p := int(g.PortBase[r]); p < int(g.PortBase[r+1]); p++ {
			if peer := g.PeerRouter(p); peer >= 0 {
				list = append(list, neighbour{int32(peer), rateOf(bandwidth, g.Ports[p].Link)})
			}
		}
		n.append(list)
		n.base[r+1] = int32(len(n.peers))
	}
	return n
}

type neighbour struct {
	router int32
	rate   int64
}

func rateOf(bandwidth []int64, class uint16) int64 {
	if bandwidth == nil {
		return 1
	}
	return bandwidth[class]
}

// append adds a router's links; links to the same peer become one.
func (n *Net) append(list []neighbour) {
	slices.SortFunc(list, func(a, b neighbour) int { return int(a.router - b.router) })
	for i, l := range list {
		if i > 0 && list[i-1].router == l.router {
			n.rate[len(n.rate)-1] += l.rate
			continue
		}
		n.peers = append(n.peers, l.router)
		n.rate = append(n.rate, l.rate)
	}
}

// Routers returns the number of routers.
func (n *Net) Routers() int { return len(n.Hosts) }

// Peers lists the neighbours of a router, each once. The caller must not change the list.
func (n *Net) Peers(r int) []int32 { return n.peers[n.base[r]:n.base[r+1]] }

// Rate returns the bandwidth (bytes/s) of the links from a router to its peer number i.
func (n *Net) Rate(r, i int) int64 { return n.rate[int(n.base[r])+i] }
