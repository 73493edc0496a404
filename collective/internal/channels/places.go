package channels

import "fabricast/collective"

// Places says on which nodes the ranks of a communicator are.
type Places struct {
	Nodes [][]int32 // the ranks of each node
	node  []int32   // by rank
	place []int32   // by rank: its index in its node
}

// PlacesOf returns where the ranks of a communicator are: on the nodes of so many consecutive ranks
// or, if gpus is 0, on their hosts.
func PlacesOf(c collective.Comm, gpus int) *Places {
	p := &Places{node: make([]int32, c.Size()), place: make([]int32, c.Size())}
	if gpus == 0 {
		p.Nodes = collective.LayoutOf(c).Nodes.Members
	} else {
		for r := range c.Size() {
			if r%gpus == 0 {
				p.Nodes = append(p.Nodes, nil)
			}
			p.Nodes[r/gpus] = append(p.Nodes[r/gpus], int32(r))
		}
	}
	for n, members := range p.Nodes {
		for i, r := range members {
			p.node[r], p.place[r] = int32(n), int32(i)
		}
	}
	return p
}

// Together reports whether two ranks are on the same node.
func (p *Places) Together(a, b int) bool { return p.node[a] == p.node[b] }

// channels returns how many channels NCCL has on Hopper GPUs.
func (p *Places) channels() int {
	each := 0
	for _, m := range p.Nodes {
		each = max(each, len(m))
	}
	if each == 1 {
		return 4
	}
	return min(max(16, 2*each), 64)
}

// member returns the rank at a place of a node, counted from the one by which the channel enters
// the node: another one for each channel.
func (p *Places) member(node, channel, i int) int32 {
	m := p.Nodes[node]
	return m[(channel+i)%len(m)]
}

// inChannel returns a rank's distance from the place where a channel enters its node.
func (p *Places) inChannel(rank, channel int) (node, i int) {
	node = int(p.node[rank])
	n := len(p.Nodes[node])
	return node, ((int(p.place[rank])-channel)%n + n) % n
}
