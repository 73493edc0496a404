package channels

import (
	"math"
	"slices"

	"fabricast/collective"
	"fabricast/collective/internal/steps"
)

// switches are the aggregation trees that a rank has: of its node (NVLink SHARP), and of the ranks with the
// same place on all nodes (SHARP). Each rank of a node is the head of a part of the data.
type switches struct {
	node, rail treeOf
	// allNodes and allRails say that all nodes have trees, and all places.
	allNodes, allRails bool
}

// treeOf is a tree with the number of the calling rank among its ranks.
type treeOf struct {
	*collective.Trees
	member int
}

// switchesOf returns the trees that carry out a call. Nodes with different numbers of ranks have none.
func (s *Setting) switchesOf(c collective.Comm, call Call) (x switches) {
	p, l := s.places, collective.LayoutOf(c)
	if !l.HasTrees() {
		return x
	}
	here, place := p.of(s.rank)
	size := p.size(here)
	for n := range p.Nodes() {
		if p.size(n) != size {
			return x
		}
	}
	usable := func(t *collective.Trees) bool {
		if t == nil || t.Full || t.Window < flows || call.Op != nil && !t.Reduces {
			return false
		}
		return call.Op == nil || steps.Combined(c, t, call.Data, call.Op)
	}
	x.allNodes, x.allRails = size > 1, p.Nodes() > 1
	for n := range p.Nodes() {
		ranks := p.members(n)
		t := l.TreesOf(ranks)
		x.allNodes = x.allNodes && usable(t)
		if n == here {
			x.node = treeOf{t, slices.Index(ranks, int32(s.rank))}
		}
	}
	for at := range size {
		ranks := p.rail(at)
		t := l.TreesOf(ranks)
		x.allRails = x.allRails && usable(t)
		if at == place {
			x.rail = treeOf{t, slices.Index(ranks, int32(s.rank))}
		}
	}
	return x
}

// members returns the ranks of a node in ascending order.
func (p *Places) members(node int) (ranks []int32) {
	for i := range p.size(node) {
		ranks = append(ranks, p.at(node, i))
	}
	slices.Sort(ranks)
	return ranks
}

// rail returns the ranks at a place of all nodes in ascending order.
func (p *Places) rail(place int) (ranks []int32) {
	for n := range p.Nodes() {
		ranks = append(ranks, p.at(n, place))
	}
	slices.Sort(ranks)
	return ranks
}

// can reports whether a way has the switches that it needs.
func (s *Setting) can(w Way, kind collective.Kind) bool {
	nodes, x := s.places.Nodes(), &s.trees
	switch {
	case kind != collective.KindAllreduce:
		return w == NVLS && nodes == 1 && x.allNodes
	case w == NVLS:
		return x.allNodes && (nodes == 1 || x.allRails)
	case w == NVLSTree:
		return nodes > 1 && x.allNodes
	}
	return x.allRails
}

// flows is the number of streams of a channel in a tree: operands, and results.
const flows = 2

// switchedChunk is the size of a chunk in bytes (NCCL_NVLS_CHUNKSIZE).
const switchedChunk = 128 << 10

// channels returns how many channels trees have room for.
func (x *switches) channels() int {
	most := collective.Channels / 2 // operands and results have channels of their own (CollNetDirect)
	for _, t := range []treeOf{x.node, x.rail} {
		if t.Trees != nil && !t.Full {
			most = min(most, t.Lanes*(t.Window/flows))
		}
	}
	return most
}

// window returns how many segments a stream of one of so many channels may have under way.
func (t treeOf) window(channels int) int {
	each := (channels + t.Lanes - 1) / t.Lanes
	return t.Window / (flows * each)
}

// nvlsEfficiency is that of Hopper.
const nvlsEfficiency = 0.85

// Bandwidths (GB/s) of a channel of NVLSTree on two and on more nodes.
var mostNVLSTree = [2]float64{57.7, 45.5}

// switchTime returns the estimated time (us) of a way with switches: NVLS as in nvls.cc of NCCL 2.30, whose
// channels are the GPUs of a node here.
func (m *Model) switchTime(kind collective.Kind, w Way, bytes int) float64 {
	each := float64(m.Ranks) / float64(m.Nodes)
	size := float64(bytes) / 1000
	nodes := 2 * float64(log2(m.Nodes))
	inside := min(1, each-1)*3.7 + (each-1)*0.4
	switch w {
	case CollNetDirect:
		return 31 + 2*inside + size/(0.85*min(m.NVLink, m.Bus)/2)
	case CollNetChain:
		return 30 + 2*(each-1)*2.8 + size/(min(m.NVLink, m.Bus)/2)
	}
	bus, latency := m.NVLink*nvlsEfficiency*(each-1)/each, 25.0
	if kind == collective.KindAllreduce {
		bus *= 2
	} else {
		bus *= (each - 1) / each
	}
	between := m.Bus
	switch {
	case m.Nodes == 1:
		between = math.Inf(1)
	case w == NVLS:
		latency += 18
	case m.Nodes == 2:
		between, latency = min(2*m.Bus, each*mostNVLSTree[0]), latency+nodes*20.9
	default:
		between, latency = min(m.Bus, each*mostNVLSTree[1]), latency+nodes*20.9
	}
	return latency + size/(min(bus, between)*float64(m.Ranks)/float64(m.rounds(kind)))
}
