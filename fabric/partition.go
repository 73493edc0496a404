package fabric

import (
	"cmp"
	"slices"

	"fabricast/fabric/model"

	"fabricast/topology"
)

// partition assigns routers to blocks.
//
// Unless Spec.Cut says otherwise, the routers with hosts are divided into runs of about equal
// weight, in the order of their IDs, in which neighbours are close to each other in most
// topologies. A router without hosts may be in any block: it joins the block to which most of its
// links lead, unless that block is full. The weight of a router is the number of its ports in use,
// as a measure of the packets that pass it.
type partition struct {
	order []int32  // routers in the order of blocks; nil if that is the order of their IDs
	place []int32  // by router: its position in order; nil if order is
	cuts  []uint32 // block i has the routers at positions cuts[i] to cuts[i+1]-1 of order
}

func newPartition(g *topology.Graph, blocks int, cut func(blocks int) []int32) partition {
	if blocks == 1 {
		return partition{cuts: []uint32{0, uint32(g.Routers)}}
	}
	p := &partitioner{
		graph:   g,
		blocks:  blocks,
		weights: make([]uint64, blocks),
		block:   make([]int32, g.Routers),
	}
	if cut != nil {
		if list := cut(blocks); list != nil {
			p.block = list
			return p.sorted()
		}
	}
	for r := range p.block {
		p.block[r] = -1
		p.total += p.weight(int32(r))
	}
	fixed := g.HostedRouters()
	if len(fixed) < blocks {
		fixed = ascending(g.Routers)
	}
	p.cut(fixed)
	p.spread(fixed)
	return p.sorted()
}

// Partition returns the block of each router in a network of the given number of blocks.
func Partition(spec *model.Spec, blocks int) []int32 {
	p := newPartition(spec.Graph, blocks, spec.Cut)
	list := make([]int32, spec.Graph.Routers)
	for block := range blocks {
		for at := p.cuts[block]; at < p.cuts[block+1]; at++ {
			if p.order == nil {
				list[at] = int32(block)
			} else {
				list[p.order[at]] = int32(block)
			}
		}
	}
	return list
}

type partitioner struct {
	graph   *topology.Graph
	blocks  int
	block   []int32 // by router; -1: none yet
	weights []uint64
	total   uint64 // weight of all routers
}

func (p *partitioner) weight(router int32) (weight uint64) {
	for i := p.graph.PortBase[router]; i < p.graph.PortBase[router+1]; i++ {
		if port := &p.graph.Ports[i]; port.Peer != topology.Unconnected || port.NIC != topology.Unconnected {
			weight++
		}
	}
	return max(weight, 1)
}

// cut divides a list of routers into runs of about equal weight, of at least one router each.
func (p *partitioner) cut(routers []int32) {
	var total, sum uint64
	for _, r := range routers {
		total += p.weight(r)
	}
	block := 0
	for i, r := range routers {
		due := sum*uint64(p.blocks) >= total*uint64(block+1)
		left := len(routers)-i == p.blocks-1-block
		if i > 0 && block < p.blocks-1 && (due || left) {
			block++
		}
		p.put(r, block)
		sum += p.weight(r)
	}
}

// spread assigns the remaining routers to blocks, starting with those adjacent to routers that have
// a block.
func (p *partitioner) spread(done []int32) {
	for i := 0; i < len(done); i++ {
		for port := p.graph.PortBase[done[i]]; port < p.graph.PortBase[done[i]+1]; port++ {
			if r := int32(p.graph.PeerRouter(int(port))); r >= 0 && p.block[r] < 0 {
				p.put(r, p.best(r))
				done = append(done, r)
			}
		}
	}
	for r, block := range p.block {
		if block < 0 { // it has no links to any block
			p.put(int32(r), p.best(int32(r)))
		}
	}
}

func (p *partitioner) put(router int32, block int) {
	p.block[router] = int32(block)
	p.weights[block] += p.weight(router)
}

// best returns the block to which a router has the most links, among the blocks that are not full.
// Ties go to the block with the lowest weight.
func (p *partitioner) best(router int32) int {
	links := make([]int, p.blocks)
	for port := p.graph.PortBase[router]; port < p.graph.PortBase[router+1]; port++ {
		if peer := p.graph.PeerRouter(int(port)); peer >= 0 && p.block[peer] >= 0 {
			links[p.block[peer]]++
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

// ascending returns the integers from 0 to n-1.
func ascending(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	return list
}

// sorted returns the routers by block, and within a block by ID.
func (p *partitioner) sorted() partition {
	cuts := make([]uint32, p.blocks+1)
	for _, block := range p.block {
		cuts[block+1]++
	}
	for i := range p.blocks {
		cuts[i+1] += cuts[i]
	}
	if slices.IsSorted(p.block) {
		return partition{cuts: cuts}
	}
	order := ascending(p.graph.Routers)
	slices.SortStableFunc(order, func(x, y int32) int { return cmp.Compare(p.block[x], p.block[y]) })
	place := make([]int32, len(order))
	for i, r := range order {
		place[r] = int32(i)
	}
	return partition{order, place, cuts}
}

// apply returns the graph with its routers in the partition's order. The IDs of hosts and NICs, and
// the indices of ports within a router, do not change.
func (p partition) apply(g *topology.Graph) *topology.Graph {
	if p.order == nil {
		return g
	}
	place := make([]int32, len(g.Ports)) // by old port ID: the new ID
	sorted := &topology.Graph{
		Routers: g.Routers, Hosts: g.Hosts, NICsPerHost: g.NICsPerHost,
		PortBase: make([]int32, 1, g.Routers+1),
		Ports:    make([]topology.Port, 0, len(g.Ports)), NICPort: make([]int32, len(g.NICPort)),
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

// port returns the ID, in the sorted graph, of a port of the original graph.
func (p partition) port(g, sorted *topology.Graph, port int) int {
	if p.order == nil && len(g.Ports) == len(sorted.Ports) {
		return port
	}
	r := g.Ports[port].Router // in the sorted graph, it may have an additional port for an agent
	place := r
	if p.order != nil {
		place = p.place[r]
	}
	return port - int(g.PortBase[r]) + int(sorted.PortBase[place])
}
