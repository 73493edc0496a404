package fabric

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"fabricast/topology"
)

// Whatever the tree and the number of blocks: every router is in one block, the hosts of
// a block are consecutive, no block is much heavier than the others, and the sorted
// graph is the same network.
func TestPartitionOfTrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SliceOfN(rapid.IntRange(2, 6), 3, 3).Draw(t, "m")
		w := []int{1, rapid.IntRange(1, 4).Draw(t, "w2"), rapid.IntRange(1, 4).Draw(t, "w3")}
		tree, err := topology.NewXGFT(topology.XGFTSpec{M: m, W: w}, 1)
		if err != nil {
			t.Fatal(err)
		}
		g := tree.Graph()
		blocks := rapid.IntRange(1, 4).Draw(t, "blocks")
		p := newPartition(g, blocks, nil)
		checkOrder(t, g, p, blocks)
		checkSame(t, g, p.apply(g), p.order)
	})
}

func checkOrder(t *rapid.T, g *topology.Graph, p partition, blocks int) {
	if len(p.cuts) != blocks+1 || p.cuts[0] != 0 || int(p.cuts[blocks]) != g.Routers ||
		!slices.IsSorted(p.cuts) {
		t.Fatalf("cuts %v of %d routers into %d blocks", p.cuts, g.Routers, blocks)
	}
	seen := make([]bool, g.Routers)
	for _, r := range p.order {
		if seen[r] {
			t.Fatalf("router %d is in the order twice", r)
		}
		seen[r] = true
	}
	sorted := p.apply(g)
	last := -1
	for host := range sorted.Hosts {
		block := 0
		for int(p.cuts[block+1]) <= sorted.HostRouter(host) {
			block++
		}
		if block < last {
			t.Fatalf("host %d is in block %d, the one before in block %d", host, block, last)
		}
		last = block
	}
}

// checkSame tells whether two graphs are one but for the numbers of routers and ports.
func checkSame(t *rapid.T, g, sorted *topology.Graph, order []int32) {
	if order == nil {
		return
	}
	old := func(port int32) int32 { // the number of a port of the sorted graph before
		r := sorted.Ports[port].Router
		return g.PortBase[order[r]] + port - sorted.PortBase[r]
	}
	for i := range sorted.Ports {
		now, was := sorted.Ports[i], g.Ports[old(int32(i))]
		if now.NIC != was.NIC || now.Link != was.Link || (now.Peer < 0) != (was.Peer < 0) ||
			now.Peer >= 0 && old(now.Peer) != was.Peer {
			t.Fatalf("port %d: %v, was %v", i, now, was)
		}
	}
	for nic, port := range sorted.NICPort {
		if old(port) != g.NICPort[nic] {
			t.Fatalf("NIC %d is at another port", nic)
		}
	}
}

// A large tree is cut through few of its links, into equal parts.
func TestPartitionIsBalanced(t *testing.T) {
	tree, err := topology.NewXGFT(topology.XGFTSpec{M: []int{8, 8, 16}, W: []int{1, 8, 8}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	g := tree.Graph()
	p := newPartition(g, 2, nil)
	sorted := p.apply(g)
	var weight [2]int
	cut := 0
	side := func(router int32) int {
		if uint32(router) >= p.cuts[1] {
			return 1
		}
		return 0
	}
	for _, port := range sorted.Ports {
		weight[side(port.Router)]++
		if port.Peer >= 0 && side(port.Router) != side(sorted.Ports[port.Peer].Router) {
			cut++
		}
	}
	if d := weight[0] - weight[1]; d*d*400 > len(sorted.Ports)*len(sorted.Ports) {
		t.Errorf("ports of the two blocks: %v", weight)
	}
	if cut*4 > len(sorted.Ports) {
		t.Errorf("%d of %d ports lead to the other block", cut, len(sorted.Ports))
	}
}
