package channels

import "fabricast/collective"

// Places says on which nodes the ranks of a communicator are.
type Places struct {
	hosts *collective.Teams // the ranks of each node; nil: gpus consecutive ones
	gpus  int
	// first is the number of ranks on the nodes before each, and on all. No node is empty.
	first []int
}

// PlacesOf returns where the ranks of a communicator are: on the nodes of so many consecutive ranks
// or, if gpus is 0, on their hosts.
func PlacesOf(c collective.Comm, gpus int) *Places {
	p := &Places{gpus: gpus}
	if gpus > 0 {
		for r := 0; r < c.Size(); r += gpus {
			p.first = append(p.first, r)
		}
		p.first = append(p.first, c.Size())
		return p
	}
	p.hosts = collective.LayoutOf(c).Nodes
	n := 0
	for _, m := range p.hosts.Members {
		p.first = append(p.first, n)
		n += len(m)
	}
	p.first = append(p.first, n)
	return p
}

// Nodes returns the number of nodes.
func (p *Places) Nodes() int { return len(p.first) - 1 }

// size returns the number of ranks of a node.
func (p *Places) size(node int) int { return p.first[node+1] - p.first[node] }

// of returns the node of a rank, and its place there.
func (p *Places) of(rank int) (node, place int) {
	if p.hosts != nil {
		return p.hosts.Of(rank)
	}
	return rank / p.gpus, rank % p.gpus
}

// Together reports whether two ranks are on the same node.
func (p *Places) Together(a, b int) bool {
	x, _ := p.of(a)
	y, _ := p.of(b)
	return x == y
}

// channels returns how many channels NCCL has on Hopper GPUs.
func (p *Places) channels() int {
	each := 0
	for n := range p.Nodes() {
		each = max(each, p.size(n))
	}
	if each == 1 {
		return 4
	}
	return min(max(16, 2*each), 64)
}

// member returns the rank at a place of a node, counted from the one by which the channel enters
// the node: another one for each channel.
func (p *Places) member(node, channel, i int) int32 {
	place := (channel + i) % p.size(node)
	if p.hosts != nil {
		return p.hosts.Members[node][place]
	}
	return int32(p.first[node] + place)
}

// inChannel returns a rank's distance from the place where a channel enters its node.
func (p *Places) inChannel(rank, channel int) (node, i int) {
	node, place := p.of(rank)
	n := p.size(node)
	return node, ((place-channel)%n + n) % n
}
