// Package graphs measures networks: distances, bisections, and positions at which
// they can be drawn. What it finds is for people to look at; no prediction rests
// on it, so floating point is allowed here.
package graphs

import (
	"slices"

	"fabricast/topology"
)

// Net is a network as an undirected graph of routers, parallel links taken together.
type Net struct {
	Hosts []int // of each router
	base  []int32
	peers []int32 // of router r: peers[base[r]:base[r+1]], in rising order
	rate  []int64 // bytes/s of all links to that peer, one way
	total int     // hosts in all
}

// New takes a network with the bandwidth (bytes/s) of each class of links; nil means 1 for all.
func New(g *topology.Graph, bandwidth []int64) *Net {
	n := &Net{Hosts: make([]int, g.Routers), base: make([]int32, g.Routers+1), total: g.Hosts}
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

// append adds a router's links, those to the same peer as one.
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

// Routers is the number of routers.
func (n *Net) Routers() int { return len(n.Hosts) }

// Peers lists the routers next to one, each once; the caller must not change it.
func (n *Net) Peers(r int) []int32 { return n.peers[n.base[r]:n.base[r+1]] }

// Rate is the bandwidth of the links to the ith of a router's peers.
func (n *Net) Rate(r, i int) int64 { return n.rate[int(n.base[r])+i] }
