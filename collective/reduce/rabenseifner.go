package reduce

import (
	"fabricast/collective"
	"fabricast/collective/internal/partners"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var _ = Algorithms.Register(20, collective.Info{
	Name: collective.Rabenseifner, Summary: "reduce-scatter by halving and gather by doubling, for long buffers",
}, Rabenseifner)

// Rabenseifner is Rabenseifner's reduction for long buffers (2004). The first part is a
// reduce-scatter in which the distance to the partner doubles and the exchanged part halves in each
// round. The second part is a gather to the root with the same steps in reverse. Let pow2 be the
// largest power of two that is at most p. The first part takes pow2 log2 pow2 messages, and the
// second one pow2-1. The ranks beyond pow2 send their operand to a neighbour first; if the root is
// one of them, it receives the result at the end. Operands are combined in the order of ranks.
func Rabenseifner(c collective.Comm, send, recv node.Buf, op *collective.Op, root int) {
	rank, f := c.Rank(), partners.NewFold(c.Size())
	acc := operand(c, send, recv, root)
	if f.Idle(rank) {
		c.Send(acc, rank+1, collective.TagReduce)
		if rank == root {
			c.Recv(acc, rank+1, collective.TagReduce)
		}
		return
	}
	in := steps.Scratch(acc.Len(), acc)
	if f.Paired(rank) {
		c.Recv(in, rank-1, collective.TagReduce)
		steps.Combine(c, op, acc, in, true)
	}
	top := root
	if f.Idle(root) {
		top = root + 1
	}
	collect(c, f, acc, op, steps.Halve(c, f, acc, in, op, collective.TagReduce), f.Place(top))
	if top != root && rank == top {
		c.Send(acc, root, collective.TagReduce)
	}
}

// collect gathers the chunks that Halve has left at all places at one of them. This rank has chunk
// lo.
func collect(c collective.Comm, f partners.Fold, acc node.Buf, op *collective.Op, lo, top int) {
	place, width := f.Place(c.Rank()), 1
	for bit := f.Pow2 >> 1; bit > 0; bit >>= 1 {
		other := lo + width
		if place&bit != 0 {
			other = lo - width
		}
		partner := f.Rank(place ^ bit)
		if (place^top)&bit != 0 {
			c.Send(steps.Chunks(op, acc, lo, lo+width, f.Pow2), partner, collective.TagReduce)
			return
		}
		c.Recv(steps.Chunks(op, acc, other, other+width, f.Pow2), partner, collective.TagReduce)
		lo = min(lo, other)
		width <<= 1
	}
}
