package channels

import "fabricast/node"

// binary returns the parent of a node in the binary tree of Sanders, Speck and Träff (Two-tree
// algorithms for full bandwidth broadcast, reduction and scan, Parallel Computing 2009), -1 at node
// 0, and its children. Odd nodes are leaves; the others are as far above the leaves as their number
// has zero bits at its end.
func binary(nodes, at int) (parent int, children []int) {
	bit := 1
	for bit < nodes && at&bit == 0 {
		bit <<= 1
	}
	if at == 0 {
		if nodes > 1 {
			children = []int{bit / 2}
		}
		return -1, children
	}
	if parent = (at ^ bit) | bit<<1; parent >= nodes {
		parent = at ^ bit
	}
	if bit == 1 {
		return parent, nil
	}
	children = []int{at - bit/2}
	for step := bit / 2; step > 0; step /= 2 {
		if at+step < nodes {
			return parent, append(children, at+step)
		}
	}
	return parent, children
}

// second returns the same for the second tree, whose leaves are the inner nodes of the first: the
// first one mirrored or, for an odd number of nodes, shifted by one.
func second(nodes, at int) (parent int, children []int) {
	turn := func(n int) int { return nodes - 1 - n }
	back := turn
	if nodes%2 == 1 {
		turn = func(n int) int { return (n - 1 + nodes) % nodes }
		back = func(n int) int { return (n + 1) % nodes }
	}
	parent, children = binary(nodes, turn(at))
	if parent >= 0 {
		parent = back(parent)
	}
	for i := range children {
		children[i] = back(children[i])
	}
	return parent, children
}

// tree returns the parent of the calling rank in the tree of a channel, none at its root, and its
// children. The tree joins nodes; the ranks of a node are a chain below the one of the channel's
// NIC, to whose second rank the second child leads.
func (s *Setting) tree(channel int) (up, down []int32) {
	at, i := s.places.inChannel(s.rank, channel)
	shape := binary
	if channel >= (s.most+1)/2 {
		shape = second
	}
	parent, children := shape(s.places.Nodes(), at)
	size := s.places.size(at)
	if i > 0 {
		up = []int32{s.places.member(at, channel, i-1)}
	} else if parent >= 0 {
		up = []int32{s.below(shape, parent, at, channel)}
	}
	for k, child := range children {
		if i == min(k, size-1) {
			down = append(down, s.places.member(child, channel, 0))
		}
	}
	if i+1 < size {
		down = append(down, s.places.member(at, channel, i+1))
	}
	return up, down
}

// below returns the rank of a parent node to which a child node is connected.
func (s *Setting) below(shape func(int, int) (int, []int), parent, child, channel int) int32 {
	_, children := shape(s.places.Nodes(), parent)
	k := 0
	for i, c := range children {
		if c == child {
			k = i
		}
	}
	return s.places.member(parent, channel, min(k, s.places.size(parent)-1))
}

// Allreduce returns the programs of an allreduce in acc.
func (s *Setting) Allreduce(acc node.Buf, elem int) []Program {
	switch s.Way {
	case Ring:
		return s.RingAllreduce(acc, elem)
	case Tree:
		return s.TreeAllreduce(acc, elem)
	case CollNetDirect:
		return s.directAllreduce(acc, elem)
	case CollNetChain:
		return s.chainAllreduce(acc, elem)
	}
	return s.nvlsAllreduce(acc, elem)
}

// TreeAllreduce returns the programs of an allreduce in acc, up and down the trees of channels. Some
// threads of a channel reduce while others pass results on.
func (s *Setting) TreeAllreduce(acc node.Buf, elem int) (list []Program) {
	for channel, of := range shares(acc.Len(), s.channels, elem) {
		up, down := s.tree(channel)
		d := s.slicing(of, 1, elem)
		steps := d.loops() * d.slices
		part := func(i int, from, to []int32, combine bool) Step {
			m := d.piece(i/d.slices, 0, i%d.slices, 0)
			m.From, m.To, m.Combine = from, to, combine
			return m
		}
		if len(up) == 0 {
			list = append(list, Program{
				Channel: channel, Acc: acc, Steps: steps,
				Step: func(i int) Step { return part(i, down, down, true) },
			})
			continue
		}
		list = append(list, Program{
			Channel: channel, Acc: acc, Steps: steps,
			Step: func(i int) Step { return part(i, down, up, true) },
		}, Program{
			Channel: channel, Phase: 1, Acc: acc, Steps: steps,
			Step: func(i int) Step { return part(i, up, down, false) },
		})
	}
	return list
}
