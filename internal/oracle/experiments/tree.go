package experiments

import (
	"fabricast/fabric"
	"fabricast/topology"
)

// Tree is a network of routers without cycles, each with any number of hosts. It differs from a
// torus as much as a network can: routers have different numbers of ports, some have no hosts or
// several, and links are of several classes.
type Tree struct {
	Parents []int32  // by router: its parent, which has a lower ID; the entry of router 0 is ignored
	Hosts   []int32  // by router: number of hosts
	Classes []uint16 // by router: class of the link to its parent
	Trunk   fabric.Link
}

// linkTrunk is the link class whose parameters are in Tree.Trunk.
const linkTrunk = 2

// spec returns the fabric's specification of the tree: graph, routing and links.
func (t *Tree) spec(e *Experiment) fabric.Spec {
	g := t.graph(e.NICs)
	route := newTreeRouting(t, g, e.Router.Set())
	spec := fabric.Spec{
		Graph: g,
		Links: []fabric.Link{
			topology.LinkRouter: e.Link, topology.LinkHost: e.HostLink, linkTrunk: t.Trunk,
		},
	}
	switch e.Route {
	case Random:
		spec.Routing = randomTree{route}
	case Adaptive:
		spec.Adaptive = adaptiveTree{route}
	default:
		spec.Routing = route
	}
	return spec
}

// hosts returns the total number of hosts.
func (t *Tree) hosts() int {
	sum := 0
	for _, n := range t.Hosts {
		sum += int(n)
	}
	return sum
}

// graph returns the tree's graph. Each router's ports lead first to its NICs, then to its children,
// and last to its parent.
func (t *Tree) graph(nics int) *topology.Graph {
	g := &topology.Graph{Routers: len(t.Parents), Hosts: t.hosts(), NICsPerHost: nics}
	down := make([]int32, len(t.Parents)) // by router: the port of its parent that leads to it
	for r := range int32(len(t.Parents)) {
		g.PortBase = append(g.PortBase, int32(len(g.Ports)))
		for range int(t.Hosts[r]) * nics {
			g.NICPort = append(g.NICPort, int32(len(g.Ports)))
			g.Ports = append(g.Ports, topology.Port{
				Router: r, Peer: topology.Unconnected, NIC: int32(len(g.NICPort) - 1),
				Link: topology.LinkHost,
			})
		}
		for child := r + 1; child < int32(len(t.Parents)); child++ {
			if t.Parents[child] == r {
				down[child] = int32(len(g.Ports))
				g.Ports = append(
					g.Ports,
					topology.Port{Router: r, NIC: topology.Unconnected, Link: t.Classes[child]},
				)
			}
		}
		if r > 0 {
			up := int32(len(g.Ports))
			g.Ports = append(
				g.Ports,
				topology.Port{Router: r, Peer: down[r], NIC: topology.Unconnected, Link: t.Classes[r]},
			)
			g.Ports[down[r]].Peer = up
		}
	}
	g.PortBase = append(g.PortBase, int32(len(g.Ports)))
	return g
}

// treeRouting takes the only path that exists. A packet changes its virtual channel at every hop:
// in a network without cycles, any channels are free of deadlock. The route header holds the
// destination's NIC and, above it, the channel.
type treeRouting struct {
	graph *topology.Graph
	vcs   uint64
	ports [][]uint16 // local port, by router and destination router
}

func newTreeRouting(t *Tree, g *topology.Graph, vcs int) *treeRouting {
	r := &treeRouting{graph: g, vcs: uint64(vcs), ports: make([][]uint16, g.Routers)}
	for at := range g.Routers {
		r.ports[at] = make([]uint16, g.Routers)
		for dst := range g.Routers {
			if dst != at {
				r.ports[at][dst] = t.port(g, int32(at), int32(dst))
			}
		}
	}
	return r
}

// port returns the local port of a router that leads to another router: the port to the child whose
// subtree contains that router, or else the last port, which leads to the parent.
func (t *Tree) port(g *topology.Graph, router, dst int32) uint16 {
	base, end := g.PortBase[router], g.PortBase[router+1]
	for dst > router {
		if t.Parents[dst] != router {
			dst = t.Parents[dst]
			continue
		}
		for p := base; ; p++ {
			if peer := g.Ports[p].Peer; peer != topology.Unconnected && g.Ports[peer].Router == dst {
				return uint16(p - base)
			}
		}
	}
	return uint16(end - 1 - base)
}

func (r *treeRouting) Name() string { return "tree" }

func (r *treeRouting) Start(src, dst int32) (header uint64, vc uint8) {
	channel := uint64(src+dst) % r.vcs
	return uint64(dst)<<8 | channel, uint8(channel)
}

func (r *treeRouting) Next(router int32, header uint64) (port, vc uint16, next uint64) {
	dst := int32(header >> 8)
	channel := (header&0xff + 1) % r.vcs
	plug := r.graph.NICPort[dst]
	next = uint64(dst)<<8 | channel
	if at := r.graph.Ports[plug].Router; at != router {
		return r.ports[router][at], uint16(channel), next
	}
	return uint16(plug - r.graph.PortBase[router]), uint16(channel), next
}

// randomTree is like treeRouting, but every packet starts in a random channel.
type randomTree struct{ *treeRouting }

func (r randomTree) StartPacket(_, dst int32, coin uint64) (header uint64, vc uint8) {
	channel := coin % r.vcs
	return uint64(dst)<<8 | channel, uint8(channel)
}
