package innetwork

import (
	"cmp"
	"slices"

	"fabricast/topology"
)

// Tree is an aggregation tree of a group.
type Tree struct {
	Group *Group
	Lane  int
	Root  int32 // router
	// Nodes are the tree's routers, in ascending order.
	Nodes []Node
}

// Node is a router of a tree.
type Node struct {
	Router int32
	Parent int32   // port that leads to the parent; -1 at the root
	Below  []Child // in the order in which their operands are combined
	base   int     // its first word in the router's state
}

// Child is a rank at a router, or a router.
type Child struct {
	Port   int32
	Rank   int32 // rank of the program; -1: a router
	Member int32 // the rank in its communicator
	NIC    int32
}

// at returns a router's node, nil if it has none.
func (t *Tree) at(router int32) *Node {
	i, found := slices.BinarySearchFunc(t.Nodes, router, func(n Node, r int32) int { return cmp.Compare(n.Router, r) })
	if !found {
		return nil
	}
	return &t.Nodes[i]
}

// Depth returns the number of links between the root and the routers farthest from it.
func (t *Tree) Depth(g *topology.Graph) (depth int) {
	for i := range t.Nodes {
		n, up := &t.Nodes[i], 0
		for n.Parent >= 0 {
			n = t.at(int32(g.PeerRouter(int(g.PortBase[n.Router] + n.Parent))))
			up++
		}
		depth = max(depth, up)
	}
	return depth
}

// planter builds trees one after the other.
type planter struct {
	g     *topology.Graph
	most  int   // largest number of trees of a router
	trees []int // by router
	used  []int // by port: number of trees
}

// far is the distance of routers that cannot be reached.
const far = int(^uint(0) >> 2)

// distances returns the number of links from a router to each, over routers that have room.
func (p *planter) distances(from int32) []int {
	d := make([]int, p.g.Routers)
	for i := range d {
		d[i] = far
	}
	if p.trees[from] >= p.most {
		return d
	}
	d[from] = 0
	for queue := []int32{from}; len(queue) > 0; queue = queue[1:] {
		r := queue[0]
		for port := range p.links(r) {
			if next := int32(p.g.PeerRouter(int(port))); d[next] == far && p.trees[next] < p.most {
				d[next] = d[r] + 1
				queue = append(queue, next)
			}
		}
	}
	return d
}

// links yields the ports of a router that lead to others and back, by their global numbers.
func (p *planter) links(router int32) func(yield func(int32) bool) {
	return func(yield func(int32) bool) {
		for port := p.g.PortBase[router]; port < p.g.PortBase[router+1]; port++ {
			x := &p.g.Ports[port]
			if x.Peer != topology.Unconnected && !x.Closed && !p.g.Ports[x.Peer].Closed && !yield(port) {
				return
			}
		}
	}
}

// root chooses the root of a tree with the given leaves: the router with the least distance to the
// farthest leaf; of these the one with the fewest trees, then with the least sum of distances, then the
// first. It returns -1 if there is none.
func (p *planter) root(leaves []int32) int32 {
	most, sum := make([]int, p.g.Routers), make([]int, p.g.Routers)
	for _, leaf := range leaves {
		for r, d := range p.distances(leaf) {
			most[r], sum[r] = max(most[r], d), min(far, sum[r]+d)
		}
	}
	best := int32(-1)
	for r := range int32(p.g.Routers) {
		if most[r] < far && (best < 0 || cmp.Or(
			cmp.Compare(most[r], most[best]), cmp.Compare(p.trees[r], p.trees[best]), cmp.Compare(sum[r], sum[best]),
		) < 0) {
			best = r
		}
	}
	return best
}

// plant builds a tree over the routers of a group's NICs, nil if their routers are not connected by
// routers with room. nics has one for each rank. From each leaf it goes toward the root, to a router of
// the tree if there is one, else over the link with the fewest trees.
func (p *planter) plant(group *Group, lane int, nics []int32) *Tree {
	nodes := map[int32]*Node{}
	for i, nic := range nics {
		port := p.g.NICPort[nic]
		router := p.g.Ports[port].Router
		n := nodes[router]
		if n == nil {
			n = &Node{Router: router, Parent: -1}
			nodes[router] = n
		}
		n.Below = append(n.Below, Child{
			Port: port - p.g.PortBase[router], Rank: group.Ranks[i], Member: int32(i), NIC: nic,
		})
	}
	leaves := make([]int32, 0, len(nodes))
	for r := range nodes {
		leaves = append(leaves, r)
	}
	slices.Sort(leaves)
	t := &Tree{Group: group, Lane: lane, Root: p.root(leaves)}
	if t.Root < 0 {
		return nil
	}
	if nodes[t.Root] == nil {
		nodes[t.Root] = &Node{Router: t.Root, Parent: -1}
	}
	d := p.distances(t.Root)
	for _, leaf := range leaves {
		for n := nodes[leaf]; n.Router != t.Root && n.Parent < 0; {
			n = p.climb(nodes, n, d)
		}
	}
	for _, n := range nodes {
		t.Nodes = append(t.Nodes, *n)
		p.trees[n.Router]++
	}
	slices.SortFunc(t.Nodes, func(a, b Node) int { return cmp.Compare(a.Router, b.Router) })
	t.sortChildren()
	return t
}

// sortChildren orders the children of each router: ranks in their order, then routers by port.
func (t *Tree) sortChildren() {
	for i := range t.Nodes {
		slices.SortFunc(t.Nodes[i].Below, func(a, b Child) int {
			if (a.Rank < 0) != (b.Rank < 0) {
				return cmp.Compare(b.Rank, a.Rank)
			}
			return cmp.Or(cmp.Compare(a.Member, b.Member), cmp.Compare(a.Port, b.Port))
		})
	}
}

// climb joins a router to one nearer to the root, which it returns. d are distances from the root.
func (p *planter) climb(nodes map[int32]*Node, n *Node, d []int) *Node {
	best, next := int32(-1), int32(0)
	for port := range p.links(n.Router) {
		to := int32(p.g.PeerRouter(int(port)))
		if d[to] != d[n.Router]-1 {
			continue
		}
		inside, before := nodes[to] != nil, best >= 0 && nodes[next] != nil
		if best < 0 || inside && !before || inside == before && p.used[port] < p.used[best] {
			best, next = port, to
		}
	}
	p.used[best]++
	above := nodes[next]
	if above == nil {
		above = &Node{Router: next, Parent: -1}
		nodes[next] = above
	}
	n.Parent = best - p.g.PortBase[n.Router]
	down := p.g.Ports[best].Peer
	above.Below = append(above.Below, Child{Port: down - p.g.PortBase[next], Rank: -1, NIC: -1})
	return above
}
