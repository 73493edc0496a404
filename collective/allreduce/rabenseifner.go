package allreduce

import (
	"fabricast/collective"
	"fabricast/collective/internal/partners"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var _ = Algorithms.Register(30, collective.Info{
	Name:    collective.Rabenseifner,
	Summary: "reduce-scatter by halving and allgather by doubling, 2 log2 p rounds",
}, Rabenseifner)

// Rabenseifner is Rabenseifner's algorithm (2004): a reduce-scatter in which the distance
// to the partner doubles and the exchanged part halves in each round, then an allgather with the
// same steps in reverse. Before the call, recv holds the rank's own operand. For powers of two,
// each rank sends 2*log2 p messages with 2(p-1)/p of the buffer in total. Otherwise, the ranks
// beyond the largest power of two send their operand to a neighbour first and receive the result at
// the end. Operands are combined in the order of ranks, because the nearest partners come first.
func Rabenseifner(c collective.Comm, recv node.Buf, op *collective.Op) {
	f := partners.NewFold(c.Size())
	in := steps.Scratch(recv.Len(), recv)
	if !steps.FoldIn(c, f, recv, in, op, collective.TagAllreduce) {
		return
	}
	lo := steps.Halve(c, f, recv, in, op, collective.TagAllreduce)
	redouble(c, f, recv, op, lo)
	steps.FoldOut(c, f, recv, collective.TagAllreduce)
}

// redouble performs the allgather: it collects the chunks that Halve has reduced. lo is this rank's
// chunk.
func redouble(c collective.Comm, f partners.Fold, acc node.Buf, op *collective.Op, lo int) {
	place := f.Place(c.Rank())
	width := 1
	for bit := f.Pow2 >> 1; bit > 0; bit >>= 1 {
		other := lo + width
		if place&bit != 0 {
			other = lo - width
		}
		partner := f.Rank(place ^ bit)
		c.Sendrecv(steps.Chunks(op, acc, lo, lo+width, f.Pow2), partner, collective.TagAllreduce,
			steps.Chunks(op, acc, other, other+width, f.Pow2), partner, collective.TagAllreduce)
		lo = min(lo, other)
		width <<= 1
	}
}
