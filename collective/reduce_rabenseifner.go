package collective

import "fabricast/node"

var _ = reduces.register(20, Info{
	Name: Rabenseifner, Summary: "reduce-scatter by halving and gather by doubling, for long buffers",
}, ReduceRabenseifner)

// ReduceRabenseifner is Rabenseifner's reduction for long buffers (2004): a reduce-scatter in which
// the partner's distance doubles and the exchanged part halves, then a gather to the root that goes
// the same way back. With pow2 ranks, the largest power of two that is at most p, it takes
// pow2 log2 pow2 messages for the first part and pow2-1 for the second; the ranks beyond hand their
// operand to a neighbour before, and a root among them gets the result after. Operands are combined
// in the order of ranks.
func ReduceRabenseifner(c Comm, send, recv node.Buf, op *Op, root int) {
	rank, f := c.Rank(), newFold(c.Size())
	acc := operand(c, send, recv, root)
	if f.idle(rank) {
		c.Send(acc, rank+1, tagReduce)
		if rank == root {
			c.Recv(acc, rank+1, tagReduce)
		}
		return
	}
	in := scratch(acc.Len(), acc)
	if f.paired(rank) {
		c.Recv(in, rank-1, tagReduce)
		op.combine(c, acc, in, true)
	}
	top := root
	if f.idle(root) {
		top = root + 1
	}
	collect(c, f, acc, op, halve(c, f, acc, in, op, tagReduce), f.place(top))
	if top != root && rank == top {
		c.Send(acc, root, tagReduce)
	}
}

// collect gathers, at one place, the chunks that halve has left at all places. This rank has chunk
// lo.
func collect(c Comm, f fold, acc node.Buf, op *Op, lo, top int) {
	place, width := f.place(c.Rank()), 1
	for bit := f.pow2 >> 1; bit > 0; bit >>= 1 {
		other := lo + width
		if place&bit != 0 {
			other = lo - width
		}
		partner := f.rank(place ^ bit)
		if (place^top)&bit != 0 {
			c.Send(op.chunks(acc, lo, lo+width, f.pow2), partner, tagReduce)
			return
		}
		c.Recv(op.chunks(acc, other, other+width, f.pow2), partner, tagReduce)
		lo = min(lo, other)
		width <<= 1
	}
}
