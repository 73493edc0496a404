package legs

import (
	"slices"

	"fabricast/topology"
)

// Balanced holds a shortest path from every router to every host, chosen such that links carry similar
// numbers of paths, and a layer for each path. The paths of one layer cannot wait for one another in a
// cycle.
type Balanced struct {
	hosts  int
	ports  []uint16 // by router and host: the local port
	row    []int32  // by router: its index among the routers with hosts
	layer  []uint8  // by row of the source router and host
	layers int
}

// NewBalanced computes the paths and layers. It fails with a TooLargeError beyond maxTableRouters, if the
// network is not connected, and with a LayersError if more than most layers are needed.
func NewBalanced(g *topology.Graph, most int) (*Balanced, error) {
	if g.Routers > maxTableRouters {
		return nil, &TooLargeError{Algorithm: "routing by balanced paths", Routers: g.Routers, Most: maxTableRouters}
	}
	hops, err := g.Hops()
	if err != nil {
		return nil, err
	}
	b := &Balanced{hosts: g.Hosts, ports: make([]uint16, g.Routers*g.Hosts), row: make([]int32, g.Routers)}
	p := newPathBalance(g, hops)
	for host := range g.Hosts {
		p.to(int32(host), b)
	}
	return b, b.divide(g, most)
}

// BalancedMemory returns the memory for the tables of a network, in bytes.
func BalancedMemory(g *topology.Graph) int64 {
	return int64(g.Hosts) * (2*int64(g.Routers) + int64(len(g.HostedRouters())))
}

// Port returns the local port by which packets to a host leave a router other than the host's.
func (b *Balanced) Port(router, host int32) uint16 { return b.ports[int(router)*b.hosts+int(host)] }

// Layer returns the layer of the path from a router with hosts to a host.
func (b *Balanced) Layer(router, host int32) uint16 {
	return uint16(b.layer[int(b.row[router])*b.hosts+int(host)])
}

// Layers returns the number of layers.
func (b *Balanced) Layers() int { return b.layers }

// pathBalance chooses shortest paths destination by destination. Each link has a weight, the number of
// paths chosen so far that use it; of the shortest paths, those with the least sum of weights are
// taken (Domke, Hoefler and Nagel, IPDPS 2011).
type pathBalance struct {
	graph  *topology.Graph
	hops   *topology.Hops
	weight []uint64 // by global port: of the link in the direction that leaves by it
	cost   []uint64 // by router: sum of weights of its path
	paths  []uint64 // by router: paths that begin at or pass it
	order  []int32  // routers by their distance from the destination
	first  []int32  // by distance: index in order
}

func newPathBalance(g *topology.Graph, hops *topology.Hops) *pathBalance {
	return &pathBalance{
		graph: g, hops: hops, weight: make([]uint64, len(g.Ports)), cost: make([]uint64, g.Routers),
		paths: make([]uint64, g.Routers), order: make([]int32, g.Routers), first: make([]int32, topology.MostHops+2),
	}
}

// to chooses the paths from all routers to a host.
func (p *pathBalance) to(host int32, b *Balanced) {
	g := p.graph
	to := int32(g.HostRouter(int(host)))
	far := p.hops.To(to)
	p.sort(far)
	for r := range p.paths {
		p.paths[r], p.cost[r] = 0, 0
	}
	for h := range int32(g.Hosts) {
		if h != host {
			p.paths[g.HostRouter(int(h))]++
		}
	}
	for _, r := range p.order[1:] {
		best := int32(-1)
		for port := g.PortBase[r]; port < g.PortBase[r+1]; port++ {
			peer := int32(g.NextRouter(int(port)))
			if peer < 0 || !p.hops.Nearer(peer, to, int(far[r])) {
				continue
			}
			if cost := p.cost[peer] + p.weight[port]; best < 0 || cost < p.cost[r] {
				best, p.cost[r] = port, cost
			}
		}
		b.ports[int(r)*b.hosts+int(host)] = uint16(best - g.PortBase[r])
	}
	for _, r := range slices.Backward(p.order[1:]) {
		port := g.PortBase[r] + int32(b.Port(r, host))
		p.weight[port] += p.paths[r]
		p.paths[g.PeerRouter(int(port))] += p.paths[r]
	}
}

// sort puts the routers into order by their distances.
func (p *pathBalance) sort(far []uint8) {
	clear(p.first)
	for _, d := range far {
		p.first[d+1]++
	}
	for d := 1; d < len(p.first); d++ {
		p.first[d] += p.first[d-1]
	}
	for r, d := range far {
		p.order[p.first[d]] = int32(r)
		p.first[d]++
	}
}
