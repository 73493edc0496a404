package netfile

import (
	"strconv"

	"fabricast/topology"
)

// links lists every link between routers once, in the order of the lower of its ports. One that leads one way
// leads from A to B.
func links(g *topology.Graph) []topology.Edge {
	var list []topology.Edge
	for p := range g.Ports {
		if port := &g.Ports[p]; port.Peer > int32(p) {
			e := topology.Edge{A: int(port.Router), B: g.PeerRouter(p), Class: port.Link}
			if e.OneWay = port.Closed || g.Ports[port.Peer].Closed; port.Closed {
				e.A, e.B = e.B, e.A
			}
			list = append(list, e)
		}
	}
	return list
}

// hostName returns the name of a host; "host3" if the network gives it none.
func hostName(t topology.Topology, host int) string {
	if n, named := t.(topology.Named); named && n.HostName(host) != "" {
		return n.HostName(host)
	}
	return "host" + strconv.Itoa(host)
}

// hasNames reports whether a network has names of hosts.
func hasNames(t topology.Topology) bool {
	n, named := t.(topology.Named)
	return named && t.Graph().Hosts > 0 && n.HostName(0) != ""
}
