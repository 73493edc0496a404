package channels

import "fabricast/node"

// list collects the programs of a rank, so that steps can name those of others.
type list []Program

// add adds a program and returns its index.
func (l *list) add(p Program) int {
	*l = append(*l, p)
	return len(*l) - 1
}

// heads returns the number of ranks of a node, and the calling rank's place there.
func (s *Setting) heads() (n, place int) {
	at, place := s.places.of(s.rank)
	return s.places.size(at), place
}

// nvlsAllreduce returns the programs of an allreduce by NVLS: for each chunk, the switch of a node reduces
// the operands of all ranks for the chunk's head, which passes the sum to all of them by the switch. Between
// nodes, the sums of the heads go through switches (NVLS) or through one of two trees of nodes (NVLSTree).
func (s *Setting) nvlsAllreduce(acc node.Buf, elem int) []Program {
	var all list
	n, me := s.heads()
	for channel, of := range shares(acc.Len(), s.channels, elem) {
		d := s.slicing(of, n, elem)
		up := all.add(s.stream(channel, 0, s.trees.node, acc, elem, d.loops()*n, func(i int) Step {
			m := d.piece(i/n, i%n, 0, 0)
			m.Gives, m.Takes = true, i%n == me
			return m
		}))
		sum := func(loop int) After { return After{up, loop*n + me + 1} }
		if s.places.Nodes() > 1 {
			sum = s.among(&all, channel, acc, elem, &d, me, sum)
		}
		all.add(s.stream(channel, 3, s.trees.node, acc, elem, d.loops()*n, func(i int) Step {
			m := d.piece(i/n, i%n, 0, 0)
			if m.Gives, m.Takes = i%n == me, i%n != me; m.Gives {
				m.After = sum(i / n)
			}
			return m
		}))
	}
	return all
}

// among adds the programs by which heads of several nodes combine their chunks. begins says when a chunk
// of the calling rank is there; the result, when it is combined.
func (s *Setting) among(
	all *list, channel int, acc node.Buf, elem int, d *slicing, me int, begins func(loop int) After,
) func(loop int) After {
	if s.Way != NVLSTree {
		at := all.add(s.stream(channel, 1, s.trees.rail, acc, elem, d.loops(), func(i int) Step {
			m := d.piece(i, me, 0, 0)
			m.Gives, m.Takes, m.After = true, true, begins(i)
			return m
		}))
		return func(loop int) After { return After{at, loop + 1} }
	}
	up, down := s.railTree(channel, me)
	part := func(i int, from, to []int32, combine bool) Step {
		m := d.piece(i, me, 0, 0)
		m.From, m.To, m.Combine = from, to, combine
		return m
	}
	root, to := len(up) == 0, up
	if root {
		to = down
	}
	at := all.add(Program{Channel: channel, Phase: 1, Acc: acc, Steps: d.loops(), Step: func(i int) Step {
		m := part(i, down, to, true)
		m.After = begins(i)
		return m
	}})
	if !root {
		at = all.add(Program{Channel: channel, Phase: 2, Acc: acc, Steps: d.loops(), Step: func(i int) Step {
			return part(i, up, down, false)
		}})
	}
	return func(loop int) After { return After{at, loop + 1} }
}

// railTree returns the parent and the children of the calling rank in a tree of the ranks at its place of
// all nodes: one of the two binary trees.
func (s *Setting) railTree(channel, place int) (up, down []int32) {
	at, _ := s.places.of(s.rank)
	shape := binary
	if channel >= (s.channels+1)/2 {
		shape = second
	}
	parent, children := shape(s.places.Nodes(), at)
	if parent >= 0 {
		up = []int32{s.places.at(parent, place)}
	}
	for _, child := range children {
		down = append(down, s.places.at(child, place))
	}
	return up, down
}

// nvlsReduceScatter returns the programs of a reduce-scatter of one node: its switch reduces each block for
// its rank. acc holds a block for each rank.
func (s *Setting) nvlsReduceScatter(acc node.Buf, elem int) []Program {
	return s.nvlsBlocks(acc, elem, func(m *Step, mine bool) { m.Gives, m.Takes = true, mine })
}

// nvlsAllgather returns the programs of an allgather on one node: its switch copies the block of each rank.
func (s *Setting) nvlsAllgather(all node.Buf) []Program {
	return s.nvlsBlocks(all, 1, func(m *Step, mine bool) { m.Gives, m.Takes = mine, !mine })
}

// nvlsBlocks returns programs that move chunks of each block in turn. does says what a step does with one of
// the calling rank, or of another one.
func (s *Setting) nvlsBlocks(acc node.Buf, elem int, does func(m *Step, mine bool)) []Program {
	var all list
	block := acc.Len() / s.ranks
	for channel, of := range shares(block, s.channels, elem) {
		d := s.slicing(of, 1, elem)
		all.add(s.stream(channel, 0, s.trees.node, acc, elem, d.loops()*s.ranks, func(i int) Step {
			rank := i % s.ranks
			m := d.piece(i/s.ranks, 0, 0, rank*block)
			does(&m, rank == s.rank)
			return m
		}))
	}
	return all
}
