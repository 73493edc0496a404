package ethernetoracle

import (
	"fmt"
	"slices"

	"fabricast/ethernet/control"
	"fabricast/internal/units"
	"fabricast/topology"
)

const unreachable = 1 << 30

// distances returns the links between each two routers (Floyd and Warshall).
func distances(g *topology.Graph) [][]int {
	d := make([][]int, g.Routers)
	for i := range d {
		d[i] = make([]int, g.Routers)
		for j := range d[i] {
			if i != j {
				d[i][j] = unreachable
			}
		}
	}
	for port := range g.Ports {
		if next := g.NextRouter(port); next >= 0 && next != int(g.Ports[port].Router) {
			d[g.Ports[port].Router][next] = 1
		}
	}
	for via := range d {
		for i := range d {
			for j := range d {
				d[i][j] = min(d[i][j], d[i][via]+d[via][j])
			}
		}
	}
	return d
}

// routerOf returns the router of a NIC.
func (n *network) routerOf(nic int) int {
	g := n.spec.Graph
	return int(g.Ports[g.NICPort[nic]].Router)
}

// closer returns the ports of a router that lead one link closer to another one, ascending.
func closer(g *topology.Graph, distance [][]int, router, to int) (ports []int) {
	for port := int(g.PortBase[router]); port < int(g.PortBase[router+1]); port++ {
		if next := g.NextRouter(port); next >= 0 && distance[next][to] == distance[router][to]-1 {
			ports = append(ports, port)
		}
	}
	return ports
}

// outputOf returns the port by which a packet leaves a router; -1 if none leads to its destination.
func (n *network) outputOf(router int, p *packet) int {
	to := n.routerOf(p.dst)
	if router == to {
		return int(n.spec.Graph.NICPort[p.dst])
	}
	g, d := n.graphNow()
	ports := closer(g, d, router, to)
	if len(ports) == 0 {
		return -1
	}
	usable := slices.DeleteFunc(slices.Clone(ports), func(port int) bool { return n.outOf(port).avoided })
	if len(usable) > 0 {
		ports = usable
	}
	out := ports[n.hashOf(p, router)%uint64(len(ports))]
	if usual := closer(n.spec.Graph, n.distance, router, to); p.hasPayload() && !p.rerouted && out != usual[n.hashOf(p, router)%uint64(len(usual))] {
		p.rerouted = true
		n.counts.Rerouted++
	}
	return out
}

// takes returns how long bytes take on a link (ps).
func (n *network) takes(bytes int64, link uint16) int64 {
	const second = 1_000_000_000_000
	rate := int64(n.spec.Links[link].Bandwidth)
	return (bytes*second + rate - 1) / rate
}

// latency returns that of a link (ps).
func (n *network) latency(link uint16) int64 { return int64(n.spec.Links[link].Latency) }

// rateOf returns the rate of the link of a NIC.
func (n *network) rateOf(nic int) units.Rate {
	g := n.spec.Graph
	return n.spec.Links[g.Ports[g.NICPort[nic]].Link].Bandwidth
}

// linksBetween returns the links of the way between two NICs that takes the first port everywhere.
func (n *network) linksBetween(src, dst int) (links []uint16) {
	g := n.spec.Graph
	links = append(links, g.Ports[g.NICPort[src]].Link)
	to := n.routerOf(dst)
	for at := n.routerOf(src); at != to; {
		port := closer(g, n.distance, at, to)[0]
		links = append(links, g.Ports[port].Link)
		at = g.NextRouter(port)
	}
	return append(links, g.Ports[g.NICPort[dst]].Link)
}

// roundTrip returns the base round trip between two NICs (ps).
func (n *network) roundTrip(src, dst int) (time int64) {
	links := n.linksBetween(src, dst)
	for _, l := range links {
		time += n.takes(n.spec.Packet.MTU, l) + n.latency(l)
		time += n.takes(n.spec.Packet.Control, l) + n.latency(l)
	}
	switches := int64(len(links) - 1)
	return time + 2*switches*n.spec.Switch.Latency
}

// longestRoundTrip returns the base round trip between two NICs that are as many links apart as any:
// those of the first such pair of routers, in the order of the router of the receiver.
func (n *network) longestRoundTrip() int64 {
	hosted := n.spec.Graph.HostedRouters()
	src, dst := int(hosted[0]), int(hosted[0])
	for _, to := range hosted {
		for _, from := range hosted {
			if n.distance[from][to] > n.distance[src][dst] {
				src, dst = int(from), int(to)
			}
		}
	}
	return n.roundTrip(n.firstNIC(src), n.firstNIC(dst))
}

// firstNIC returns the first NIC of a router.
func (n *network) firstNIC(router int) int {
	for nic := range n.spec.Graph.NICPort {
		if n.routerOf(nic) == router {
			return nic
		}
	}
	panic(fmt.Sprintf("ethernetoracle: router %d has no NIC", router))
}

// pathBetween returns what the congestion control knows of the way of a flow.
func (n *network) pathBetween(src, dst int) *control.Path {
	rtt := n.roundTrip(src, dst)
	return &control.Path{
		Rate: n.rateOf(src), RTT: rtt, NetworkRTT: max(rtt, n.longestRoundTrip()),
		Hops: len(n.linksBetween(src, dst)), MTU: n.spec.Packet.MTU, Header: n.spec.Packet.Header,
		Queue: n.spec.Switch.Queue, Trims: n.spec.Switch.Trims,
	}
}
