package netfile

import "fabricast/topology"

// links lists every link between routers once, in the order of the lower of its ports.
func links(g *topology.Graph) []topology.Edge {
	var list []topology.Edge
	for p := range g.Ports {
		if port := &g.Ports[p]; port.Peer > int32(p) {
			list = append(list, topology.Edge{A: int(port.Router), B: g.PeerRouter(p), Class: port.Link})
		}
	}
	return list
}

// hostCounts counts the hosts of each router.
func hostCounts(g *topology.Graph) []int {
	counts := make([]int, g.Routers)
	for h := range g.Hosts {
		counts[g.HostRouter(h)]++
	}
	return counts
}
