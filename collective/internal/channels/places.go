package channels

import "fabricast/collective"

// Places says on which nodes the ranks of a communicator are, and in which order a channel visits
// those of a node.
type Places struct {
	nodes *collective.Teams // the ranks of each node; nil: gpus consecutive ones
	seats *collective.Seats // their order where a node is a network; nil: that of ranks
	gpus  int
	// networked: nodes are networks, and each chooses a NIC by the rail of the receiver
	networked bool
	rates     collective.Rates // of the network, where it is known
	// relayed: messages to other nodes change to the rail of the receiver first
	relayed bool
	// first is the number of ranks on the nodes before each, and on all. No node is empty.
	first []int
}

// PlacesOf returns where the ranks of a communicator are: on the nodes of so many consecutive ranks
// or, if gpus is 0, on those of the network.
func PlacesOf(c collective.Comm, gpus int) *Places {
	l := collective.LayoutOf(c)
	p := &Places{gpus: gpus}
	if l.Seats != nil {
		p.networked, p.rates = true, l.Seats.Rates
	}
	if gpus > 0 {
		for r := 0; r < c.Size(); r += gpus {
			p.first = append(p.first, r)
		}
		p.first = append(p.first, c.Size())
		return p
	}
	p.nodes, p.seats = l.Nodes, l.Seats
	n := 0
	for _, m := range p.nodes.Members {
		p.first = append(p.first, n)
		n += len(m)
	}
	p.first = append(p.first, n)
	// tags tell the places of a node apart
	p.relayed = p.seats != nil && p.seats.Railed() && p.most() <= collective.RelayPlaces
	return p
}

// Nodes returns the number of nodes.
func (p *Places) Nodes() int { return len(p.first) - 1 }

// most returns the number of ranks of the largest node.
func (p *Places) most() (n int) {
	for at := range p.Nodes() {
		n = max(n, p.size(at))
	}
	return n
}

// size returns the number of ranks of a node.
func (p *Places) size(node int) int { return p.first[node+1] - p.first[node] }

// of returns the node of a rank, and its place there.
func (p *Places) of(rank int) (node, place int) {
	if p.nodes == nil {
		return rank / p.gpus, rank % p.gpus
	}
	node, place = p.nodes.Of(rank)
	if p.seats != nil {
		place = p.seats.Place(rank)
	}
	return node, place
}

// Together reports whether two ranks are on the same node.
func (p *Places) Together(a, b int) bool {
	x, _ := p.of(a)
	y, _ := p.of(b)
	return x == y
}

// relay returns the rank of the same node by which messages go to a rank of another one, if there is
// one.
func (p *Places) relay(from, to int) (by int, ok bool) {
	if !p.relayed || p.Together(from, to) || p.seats.Rail(from) == p.seats.Rail(to) {
		return 0, false
	}
	node, _ := p.of(from)
	return p.seats.OnRail(node, p.seats.Rail(to))
}

// channels returns how many channels NCCL has on Hopper GPUs.
func (p *Places) channels() int {
	each := p.most()
	if each == 1 {
		return 4
	}
	return min(max(16, 2*each), 64)
}

// entry returns the place by which a channel enters a node: another one for each channel, and on
// the same rail of all nodes that have a rank there.
func (p *Places) entry(node, channel int) int {
	if p.seats != nil {
		return p.seats.From(node, channel%p.seats.Most)
	}
	return channel % p.size(node)
}

// at returns the rank at a place of a node.
func (p *Places) at(node, place int) int32 {
	switch {
	case p.seats != nil:
		return p.seats.Members[node][place]
	case p.nodes != nil:
		return p.nodes.Members[node][place]
	}
	return int32(p.first[node] + place)
}

// member returns the rank at a place of a node, counted from the one by which the channel enters
// the node.
func (p *Places) member(node, channel, i int) int32 {
	return p.at(node, (p.entry(node, channel)+i)%p.size(node))
}

// inChannel returns a rank's distance from the place where a channel enters its node.
func (p *Places) inChannel(rank, channel int) (node, i int) {
	node, place := p.of(rank)
	n := p.size(node)
	return node, (place - p.entry(node, channel) + n) % n
}
