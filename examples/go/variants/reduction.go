package main

import (
	"fabricast/fabric"
	"fabricast/topology"
)

// reduction sums an 8-byte operand of every host in the switches of a two-level fat tree. Hosts of
// a leaf switch send their operands to one another, with a tag. The agent of the leaf switch holds
// these packets and sends their sum to one root switch, which adds the sums of all leaf switches
// and sends the total down. The leaf switch then forwards the held packets with the total.
type reduction struct {
	tag     int32
	results []uint64 // by NIC: the total that it received
}

// Bits of a packet's Meta. The other bits hold an operand or a sum.
const (
	partial = 1 << 63 // the packet carries the sum of a leaf switch, on its way up
	result  = 1 << 62 // the packet carries the total
	operand = 1<<62 - 1
)

// slot is the state of an agent.
type slot struct {
	sum, count uint64
	held       [32]uint64
}

// doors creates the agents, and an injector that puts the operand of each NIC, its index plus 1,
// into its packets.
func (r *reduction) doors(t topology.Topology, _ int) (*fabric.Doors, error) {
	g := t.Graph()
	r.results = make([]uint64, len(g.NICPort))
	root := rootOf(g)
	return &fabric.Doors{
		Hooks: &fabric.Hooks{Name: "results", Eject: func(e *fabric.Ejection) {
			if e.Meta&result != 0 {
				r.results[e.Destination] = e.Meta & operand
			}
		}},
		Injector: &fabric.Injector{Name: "operands", Sent: func(f *fabric.Flow, d *fabric.Departure) {
			d.Meta = uint64(f.Source) + 1
		}},
		Agent: &fabric.Agent{
			Name: "reduction", Link: topology.LinkRouter, State: fabric.Words[slot](),
			Takes: func(p *fabric.Passing) bool {
				return p.Message.Tag == r.tag && !p.Control && (p.Meta&(partial|result) != result || p.Message.Src == p.Message.Dst)
			},
			Arrive: func(p *fabric.Taken) { r.arrive(g, root, p) },
		},
	}, nil
}

// arrive adds the received operand or sum, and sends the result once all have been received.
func (r *reduction) arrive(g *topology.Graph, root int32, p *fabric.Taken) {
	s := fabric.StateIn[slot](p.State)
	children := links(g, p.Router, p.Router == root)
	// between switches, source and destination of a message are the same NIC
	m := fabric.Message{Src: p.Message.Src, Dst: p.Message.Src, Tag: r.tag, Size: 8}
	switch {
	case p.Meta&result != 0:
		p.Fate = fabric.Consumed
		for i := range s.count {
			p.Forward(s.held[i], p.Meta)
		}
		*s = slot{}
		return
	case p.Router == root:
		p.Fate = fabric.Consumed
	default:
		p.Fate, s.held[s.count] = fabric.Held, p.Handle
	}
	s.sum += p.Meta & operand
	if s.count++; s.count < uint64(len(children)) {
		return
	}
	if p.Router != root {
		p.Send(m, s.sum|partial, portTo(g, p.Router, root), 0)
		return
	}
	for _, port := range children {
		p.Send(m, s.sum|result, port, 0)
	}
	*s = slot{}
}

// rootOf returns the first switch without hosts.
func rootOf(g *topology.Graph) int32 {
	for r := range int32(g.Routers) {
		if len(links(g, r, false)) == 0 {
			return r
		}
	}
	return 0
}

// links returns the ports of a router that lead to other routers or, if routers is false, to NICs.
func links(g *topology.Graph, router int32, routers bool) (ports []int32) {
	for port := range g.PortBase[router+1] - g.PortBase[router] {
		p := &g.Ports[g.PortBase[router]+port]
		if routers && p.Peer != topology.Unconnected || !routers && p.NIC != topology.Unconnected {
			ports = append(ports, port)
		}
	}
	return ports
}

// portTo returns the first port of router that leads to router other; -1 if there is none.
func portTo(g *topology.Graph, router, other int32) int32 {
	for _, port := range links(g, router, true) {
		if g.PeerRouter(int(g.PortBase[router]+port)) == int(other) {
			return port
		}
	}
	return -1
}
