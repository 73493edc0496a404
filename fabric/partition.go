package fabric

import (
	"cmp"
	"slices"

	"fabricast/topology"
)

// partition says which routers make up each block.
//
// The hosts of a block are consecutive, so routers with hosts are cut into runs of about
// equal weight in the order of their numbers, which topologies choose so that neighbours lie near
// one another. A router without hosts may go anywhere: it goes where most of its links
// lead, as long as that block is not full. The weight of a router is the number of its
// ports in use, the measure of the packets that pass it.
type partition struct {
	order []int32  // routers in the order of blocks; nil if that is the order of their numbers
	place []int32  // by router: its place in the order; nil like order
	cuts  []uint32 // block i has the routers from place cuts[i] to cuts[i+1]-1 of the order
}

func newPartition(g *topology.Graph, blocks int) partition {
	p := &partitioner{graph: g, blocks: blocks, weights: make([]uint64, blocks), block: make([]int32, g.Routers)}
	p.weigh()
	if blocks == 1 || !p.spread() {
		return partition{cuts: p.cutAll()}
	}
	return p.sorted()
}

type partitioner struct {
	graph    *topology.Graph
	blocks   int
	hosts    []bool  // by router: whether it has any
	block    []int32 // by router; -1 = none yet
	weights  []uint64
	total    uint64
	hostless int
}

// weigh finds the routers with hosts and the weight of all.
func (p *partitioner) weigh() {
	p.hosts = make([]bool, p.graph.Routers)
	for _, port := range p.graph.NICPort {
		p.hosts[p.graph.Ports[port].Router] = true
	}
	for r := range p.graph.Routers {
		p.total += p.weight(r)
		if !p.hosts[r] {
			p.hostless++
		}
	}
}

func (p *partitioner) weight(router int) (weight uint64) {
	for i := p.graph.PortBase[router]; i < p.graph.PortBase[router+1]; i++ {
		if port := &p.graph.Ports[i]; port.Peer != topology.Unconnected || port.NIC != topology.Unconnected {
			weight++
		}
	}
	return max(weight, 1)
}

// cutAll cuts all routers into runs of about equal weight.
func (p *partitioner) cutAll() []uint32 {
	cuts := make([]uint32, 1, p.blocks+1)
	var sum uint64
	for r := range p.graph.Routers {
		due := sum*uint64(p.blocks) >= p.total*uint64(len(cuts))
		left := p.graph.Routers-r == p.blocks-len(cuts)
		if r > 0 && len(cuts) < p.blocks && (due || left) {
			cuts = append(cuts, uint32(r))
		}
		sum += p.weight(r)
	}
	return append(cuts, uint32(p.graph.Routers))
}

// spread gives every router a block; it tells whether that was of use, which it is
// not if all routers have hosts, or too few.
func (p *partitioner) spread() bool {
	if p.hostless == 0 || p.graph.Routers-p.hostless < p.blocks {
		return false
	}
	p.spreadHosts()
	for next := p.frontier(); len(next) > 0; next = p.frontier() {
		for _, r := range next {
			p.put(int(r), p.best(int(r)))
		}
	}
	return !slices.Contains(p.block, -1)
}

// spreadHosts cuts the routers that have hosts into runs.
func (p *partitioner) spreadHosts() {
	var total, sum uint64
	for r, hosts := range p.hosts {
		p.block[r] = -1
		if hosts {
			total += p.weight(r)
		}
	}
	left, block := p.graph.Routers-p.hostless, 0
	for r, hosts := range p.hosts {
		if !hosts {
			continue
		}
		due := sum*uint64(p.blocks) >= total*uint64(block+1)
		if block < p.blocks-1 && (due || left == p.blocks-1-block) {
			block++
		}
		p.put(r, block)
		sum += p.weight(r)
		left--
	}
}

func (p *partitioner) put(router, block int) {
	p.block[router] = int32(block)
	p.weights[block] += p.weight(router)
}

// frontier is the routers without a block that have a link to one with a block.
func (p *partitioner) frontier() []int32 {
	var next []int32
	for r, block := range p.block {
		if block < 0 && p.touches(r) {
			next = append(next, int32(r))
		}
	}
	return next
}

func (p *partitioner) touches(router int) bool {
	for i := p.graph.PortBase[router]; i < p.graph.PortBase[router+1]; i++ {
		if peer := p.graph.Ports[i].Peer; peer != topology.Unconnected && p.block[p.graph.Ports[peer].Router] >= 0 {
			return true
		}
	}
	return false
}

// best is the block to which a router has the most links, among those that are
// not full; the lightest of equals.
func (p *partitioner) best(router int) int {
	links := make([]int, p.blocks)
	for i := p.graph.PortBase[router]; i < p.graph.PortBase[router+1]; i++ {
		if peer := p.graph.Ports[i].Peer; peer != topology.Unconnected {
			if block := p.block[p.graph.Ports[peer].Router]; block >= 0 {
				links[block]++
			}
		}
	}
	best, lightest := -1, 0
	for block, weight := range p.weights {
		if weight < p.weights[lightest] {
			lightest = block
		}
		full := (weight+p.weight(router))*uint64(p.blocks) > p.total+p.total/32
		if full || links[block] == 0 {
			continue
		}
		if best < 0 || links[block] > links[best] || links[block] == links[best] && weight < p.weights[best] {
			best = block
		}
	}
	if best < 0 {
		return lightest
	}
	return best
}

// sorted is the routers by block, those of a block in the order of their numbers.
func (p *partitioner) sorted() partition {
	order := make([]int32, p.graph.Routers)
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(x, y int32) int { return cmp.Compare(p.block[x], p.block[y]) })
	cuts := make([]uint32, p.blocks+1)
	for _, block := range p.block {
		cuts[block+1]++
	}
	for i := range p.blocks {
		cuts[i+1] += cuts[i]
	}
	place := make([]int32, len(order))
	for i, r := range order {
		place[r] = int32(i)
	}
	return partition{order, place, cuts}
}

// apply is the graph with its routers in the partition's order. The numbers of
// hosts and NICs, and of the ports of a router, stay as they are.
func (p partition) apply(g *topology.Graph) *topology.Graph {
	if p.order == nil {
		return g
	}
	place := make([]int32, len(g.Ports)) // by old number of a port: its new number
	sorted := &topology.Graph{
		Routers: g.Routers, Hosts: g.Hosts, NICsPerHost: g.NICsPerHost,
		PortBase: make([]int32, 1, g.Routers+1), Ports: make([]topology.Port, 0, len(g.Ports)), NICPort: make([]int32, len(g.NICPort)),
	}
	for i, r := range p.order {
		for old := g.PortBase[r]; old < g.PortBase[r+1]; old++ {
			place[old] = int32(len(sorted.Ports))
			port := g.Ports[old]
			port.Router = int32(i)
			sorted.Ports = append(sorted.Ports, port)
		}
		sorted.PortBase = append(sorted.PortBase, int32(len(sorted.Ports)))
	}
	for i := range sorted.Ports {
		if peer := sorted.Ports[i].Peer; peer != topology.Unconnected {
			sorted.Ports[i].Peer = place[peer]
		}
	}
	for i, port := range g.NICPort {
		sorted.NICPort[i] = place[port]
	}
	return sorted
}

// port is the number in the sorted graph of a port of the graph.
func (p partition) port(g, sorted *topology.Graph, port int) int {
	if p.order == nil {
		return port
	}
	r := g.Ports[port].Router
	return port - int(g.PortBase[r]) + int(sorted.PortBase[p.place[r]])
}
