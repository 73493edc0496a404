package routing

import "fabricast/topology"

// FirstPorts finds the port by which a message leaves its first router, so that the NICs of a host
// can divide these ports among themselves. A nil *FirstPorts stands for a routing algorithm that
// decides for each packet, or only at the router.
type FirstPorts struct {
	graph   *topology.Graph
	routing Function
	number  []uint16 // by global port: its number among its router's ports to routers
}

// NewFirstPorts returns the first ports of an algorithm on a network. It returns nil if the
// algorithm is Randomized, or no Function.
func NewFirstPorts(g *topology.Graph, algorithm Algorithm) *FirstPorts {
	f, ok := algorithm.(Function)
	if _, random := algorithm.(Randomized); random || !ok {
		return nil
	}
	p := &FirstPorts{g, f, make([]uint16, len(g.Ports))}
	for r := range g.Routers {
		n := uint16(0)
		for port := g.PortBase[r]; port < g.PortBase[r+1]; port++ {
			p.number[port] = n
			if g.Ports[port].NIC == topology.Unconnected {
				n++
			}
		}
	}
	return p
}

// Of returns the number of the port by which messages between two hosts leave their first router.
// Ports that lead to other routers are numbered from 0 in their order. On a torus or mesh, port 2d
// leads up in dimension d and port 2d+1 down, even where a mesh has no link. The number is the same
// for all NICs of the two hosts. It is -1 if the hosts share a router, or p is nil.
func (p *FirstPorts) Of(src, dst int32) int {
	if p == nil {
		return -1
	}
	nics := int32(p.graph.NICsPerHost)
	router := int32(p.graph.HostRouter(int(src)))
	header, _ := p.routing.Start(src*nics, dst*nics)
	port, _, _ := p.routing.Next(router, header)
	global := p.graph.PortBase[router] + int32(port)
	if p.graph.Ports[global].NIC != topology.Unconnected {
		return -1
	}
	return int(p.number[global])
}
