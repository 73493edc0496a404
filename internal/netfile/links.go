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
