package routing

import "fabricast/topology"

// FirstPorts tells by which port of its first router a message leaves, so that the
// NICs of a host can divide the ports among themselves. It is nil where routing decides for each
// packet, or only when the packet is there.
type FirstPorts struct {
	graph   *topology.Graph
	routing Function
	number  []uint16 // by global port: its number among those of its router that are not for NICs
}

// NewFirstPorts returns the first ports of an algorithm on a network, nil if algorithm is
// not a Function or if it is a Randomized one.
func NewFirstPorts(g *topology.Graph, algorithm any) *FirstPorts {
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

// Of is the number of the port by which messages between two hosts leave their first router, the same for all
// NICs of the hosts, since these are at one router and routes depend on hosts: from 0, among the ports of that router that are not for
// NICs, in the order of their numbers; on a torus 2d is up and 2d+1 down in dimension d, also
// where a mesh has no link. It is -1 if the hosts have the same router, or p is nil.
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
