package partition

import (
	"cmp"
	"container/heap"
	"slices"

	"fabricast/topology"
)

// netOf converts a network to a graph. Each router is weighted by the expected load of its outputs,
// and each edge by the expected load of its links. demand is the load of each output, by global
// port number, in any unit. If it is nil, a router's weight is its number of ports in use, and an
// edge's weight is its number of links.
func netOf(g *topology.Graph, demand []float64) *net {
	n := &net{first: make([]int32, 1, g.Routers+1)}
	of := scaleOf(g, demand)
	for r := range int32(g.Routers) {
		n.weights = append(n.weights, of.router(r))
		links := map[int32]int64{}
		for p := g.PortBase[r]; p < g.PortBase[r+1]; p++ {
			if peer := int32(g.PeerRouter(int(p))); peer >= 0 && peer != r {
				links[peer] += of.link(p) + of.link(g.Ports[p].Peer)
			}
		}
		n.add(links)
	}
	return n
}

// net is a network as a graph to be partitioned: weighted nodes, and weighted edges between them.
type net struct {
	weights []int64
	first   []int32 // for each node the index of its first edge; one more at the end
	peers   []int32
	links   []int64 // weights of edges
}

// add adds the edges of the next node, sorted by the node at the other end.
func (n *net) add(links map[int32]int64) {
	begin := len(n.peers)
	for peer := range links {
		n.peers = append(n.peers, peer)
	}
	slices.Sort(n.peers[begin:])
	for _, peer := range n.peers[begin:] {
		n.links = append(n.links, links[peer])
	}
	n.first = append(n.first, int32(len(n.peers)))
}

func (n *net) nodes() int { return len(n.weights) }

func (n *net) total() (sum int64) {
	for _, w := range n.weights {
		sum += w
	}
	return sum
}

// edges calls do for each edge of a node.
func (n *net) edges(node int32, do func(peer int32, links int64)) {
	for i := n.first[node]; i < n.first[node+1]; i++ {
		do(n.peers[i], n.links[i])
	}
}

// cut returns the block of each node. It bisects the graph recursively by a multilevel method
// (Karypis and Kumar, SIAM J. Sci. Comput. 20, 1998): it merges nodes in pairs until few are left,
// bisects these, then undoes the merging step by step and improves the bisection after each step
// (Fiduccia and Mattheyses, DAC 1982). There must be at least as many nodes as blocks.
func (n *net) cut(blocks int) []int32 {
	list := make([]int32, n.nodes())
	cutNet(n, ascending(n.nodes()), 0, blocks, list)
	return list
}

// cutNet divides a graph into the given number of blocks, numbered from first, and stores the block
// of each node in list. names gives the position of each node in list.
func cutNet(n *net, names []int32, first, blocks int, list []int32) {
	if blocks == 1 {
		for _, name := range names {
			list[name] = int32(first)
		}
		return
	}
	left := blocks / 2
	side := halve(n, left, blocks)
	for s, count := range []int{left, blocks - left} {
		part, kept := n.only(side, uint8(s))
		named := make([]int32, len(kept))
		for i, node := range kept {
			named[i] = names[node]
		}
		cutNet(part, named, first+s*left, count, list)
	}
}

// only returns the subgraph of the nodes on side s, and the original indices of its nodes.
func (n *net) only(side []uint8, s uint8) (*net, []int32) {
	number, kept := make([]int32, n.nodes()), []int32(nil)
	for node := range n.nodes() {
		if side[node] == s {
			number[node] = int32(len(kept))
			kept = append(kept, int32(node))
		}
	}
	part := &net{first: make([]int32, 1, len(kept)+1)}
	for _, node := range kept {
		part.weights = append(part.weights, n.weights[node])
		links := map[int32]int64{}
		n.edges(node, func(peer int32, w int64) {
			if side[peer] == s {
				links[number[peer]] = w
			}
		})
		part.add(links)
	}
	return part, kept
}

// Coarsening stops at fewNodes nodes, or at fewOfBlock for each block if that is more.
const fewNodes, fewOfBlock = 60, 8

// halve returns the side, 0 or 1, of each node. Side 0 will be divided into left blocks, side 1
// into the others.
func halve(n *net, left, blocks int) []uint8 {
	few := max(fewNodes, fewOfBlock*blocks)
	var side []uint8
	if coarse, of := n.joined(few); n.nodes() > few && coarse.nodes() < n.nodes()*19/20 {
		ofPairs := halve(coarse, left, blocks)
		side = make([]uint8, n.nodes())
		for node := range side {
			side[node] = ofPairs[of[node]]
		}
	} else {
		side = grown(n, left, blocks)
	}
	h := &halves{net: n, side: side, least: [2]int{left, blocks - left}}
	of := n.total() * int64(left) / int64(blocks)
	h.share = [2]int64{of, n.total() - of}
	h.improve()
	return h.side
}

// joined merges each node with the unmerged neighbour to which its edge is heaviest. It returns the
// coarser graph, and the index in the coarser graph of each node. A merged node never exceeds a
// small share of the total weight.
func (n *net) joined(few int) (*net, []int32) {
	heaviest := max(3*n.total()/int64(few), 2)
	of := slices.Repeat([]int32{-1}, n.nodes())
	number := int32(0)
	coarse := &net{first: make([]int32, 1)}
	var members [][2]int32
	for node := range int32(n.nodes()) {
		if of[node] >= 0 {
			continue
		}
		best, most := node, int64(0)
		n.edges(node, func(peer int32, links int64) {
			if of[peer] < 0 && links > most && n.weights[node]+n.weights[peer] <= heaviest {
				best, most = peer, links
			}
		})
		of[node], of[best] = number, number
		members = append(members, [2]int32{node, best})
		number++
	}
	for i, pair := range members {
		links, sum := map[int32]int64{}, int64(0)
		for k, node := range pair {
			if k == 1 && node == pair[0] {
				break
			}
			sum += n.weights[node]
			n.edges(node, func(peer int32, w int64) {
				if of[peer] != int32(i) {
					links[of[peer]] += w
				}
			})
		}
		coarse.weights = append(coarse.weights, sum)
		coarse.add(links)
	}
	return coarse, of
}

// grown returns the best of several bisections. Each grows side 0 from a different start node, and
// always adds the node with the heaviest edges to that side.
func grown(n *net, left, blocks int) (best []uint8) {
	least := int64(-1)
	for try := range min(8, n.nodes()) {
		side := slices.Repeat([]uint8{1}, n.nodes())
		h := &halves{net: n, side: side, least: [2]int{left, blocks - left}}
		share := n.total() * int64(left) / int64(blocks)
		seed, sum := int32(try*n.nodes()/8), int64(0)
		for count := 0; count < n.nodes()-h.least[1] && (count < left || sum < share); count++ {
			if count > 0 {
				seed = h.nearest()
			}
			side[seed] = 0
			sum += n.weights[seed]
		}
		if cut := h.cut(); least < 0 || cut < least {
			best, least = side, cut
		}
	}
	return best
}

// halves is a bisection of a graph.
type halves struct {
	net   *net
	side  []uint8
	share [2]int64 // target weight of each side
	least [2]int   // minimum number of nodes on each side
}

// nearest returns the node of side 1 with the heaviest edges to side 0.
func (h *halves) nearest() (best int32) {
	most := int64(-1)
	for node := range int32(h.net.nodes()) {
		if h.side[node] == 0 {
			continue
		}
		links := int64(0)
		h.net.edges(node, func(peer int32, w int64) {
			if h.side[peer] == 0 {
				links += w
			}
		})
		if links > most {
			best, most = node, links
		}
	}
	return best
}

// cut returns the total weight of the edges between the sides.
func (h *halves) cut() (sum int64) {
	for node := range int32(h.net.nodes()) {
		h.net.edges(node, func(peer int32, w int64) {
			if h.side[node] < h.side[peer] {
				sum += w
			}
		})
	}
	return sum
}

// gain returns the reduction of the cut if a node changes sides.
func (h *halves) gain(node int32) (sum int64) {
	h.net.edges(node, func(peer int32, w int64) {
		if h.side[peer] == h.side[node] {
			sum -= w
		} else {
			sum += w
		}
	})
	return sum
}

// passes limits the number of improvement passes; fruitless limits the number of moves in a pass
// without a new best state.
const (
	passes    = 8
	fruitless = 200
)

// improve moves nodes between the sides while that reduces the cut, or the imbalance if the sides
// are unbalanced.
func (h *halves) improve() {
	for range passes {
		if !h.pass() {
			break
		}
	}
}

// move is a node that may change sides, with its gain when the move was pushed.
type move struct {
	node int32
	gain int64
}

// moves is a heap with the largest gain first. Nodes of equal gain are in index order.
type moves []move

func (m moves) Len() int { return len(m) }
func (m moves) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(m[j].gain, m[i].gain), cmp.Compare(m[i].node, m[j].node)) < 0
}
func (m moves) Swap(i, j int) { m[i], m[j] = m[j], m[i] }
func (m *moves) Push(x any)   { *m = append(*m, x.(move)) }
func (m *moves) Pop() any {
	last := (*m)[len(*m)-1]
	*m = (*m)[:len(*m)-1]
	return last
}

// pass moves each node at most once, then reverts to the best state of the pass. It reports whether
// that is better than the initial state.
func (h *halves) pass() bool {
	n := h.net
	var weights [2]int64
	var counts [2]int
	heaps := [2]*moves{{}, {}}
	for node := range int32(n.nodes()) {
		s := h.side[node]
		weights[s] += n.weights[node]
		counts[s]++
		*heaps[s] = append(*heaps[s], move{node, h.gain(node)})
	}
	heap.Init(heaps[0])
	heap.Init(heaps[1])
	moved := make([]bool, n.nodes())
	var done []int32
	state := h.state(weights, 0)
	best, bestAt, gained := state, 0, int64(0)
	for len(done)-bestAt < fruitless {
		from, ok := h.from(heaps, weights, counts, moved)
		if !ok {
			break
		}
		node := heap.Pop(heaps[from]).(move).node
		gained += h.gain(node)
		moved[node] = true
		h.side[node] = 1 - from
		weights[from] -= n.weights[node]
		weights[1-from] += n.weights[node]
		counts[from]--
		counts[1-from]++
		n.edges(node, func(peer int32, _ int64) {
			if !moved[peer] {
				heap.Push(heaps[h.side[peer]], move{peer, h.gain(peer)})
			}
		})
		done = append(done, node)
		if now := h.state(weights, gained); now.better(best) {
			best, bestAt = now, len(done)
		}
	}
	for _, node := range done[bestAt:] {
		h.side[node] = 1 - h.side[node]
	}
	return best.better(state)
}

// from returns the side from which the next node moves: the side that is too heavy, or otherwise
// the side with the larger gain. The first element of that side's heap is then a node that may
// move.
func (h *halves) from(heaps [2]*moves, weights [2]int64, counts [2]int, moved []bool) (uint8, bool) {
	var may [2]bool
	for s, m := range heaps {
		for len(*m) > 0 && (moved[(*m)[0].node] || h.side[(*m)[0].node] != uint8(s) ||
			(*m)[0].gain != h.gain((*m)[0].node)) {
			heap.Pop(m)
		}
		may[s] = len(*m) > 0 && counts[s] > h.least[s]
	}
	switch {
	case !may[0] && !may[1]:
		return 0, false
	case !may[1] || may[0] && h.over(weights) == 0:
		return 0, h.over(weights) != 1
	case !may[0] || h.over(weights) == 1:
		return 1, h.over(weights) != 0
	case (*heaps[0])[0].gain < (*heaps[1])[0].gain:
		return 1, true
	case (*heaps[0])[0].gain == (*heaps[1])[0].gain && weights[0]*h.share[1] < weights[1]*h.share[0]:
		return 1, true
	}
	return 0, true
}

// slack limits the imbalance: a side may exceed its target weight by 1/slack.
const slack = 50

// over returns the side that is too heavy; 2 if neither is.
func (h *halves) over(weights [2]int64) int {
	for s := range weights {
		if weights[s] > h.share[s]+h.share[s]/slack {
			return s
		}
	}
	return 2
}

// state is the quality of a bisection, for comparison.
type state struct {
	excess int64 // weight above the limit of a side
	gained int64
}

func (s state) better(t state) bool {
	return s.excess < t.excess || s.excess == t.excess && s.gained > t.gained
}

func (h *halves) state(weights [2]int64, gained int64) state {
	excess := int64(0)
	for s := range weights {
		excess += max(0, weights[s]-h.share[s]-h.share[s]/slack)
	}
	return state{excess, gained}
}

func ascending(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	return list
}
