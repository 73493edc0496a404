package collective

import "fabricast/node"

var _ = allreduces.register(30, Info{
	Name:    Rabenseifner,
	Summary: "reduce-scatter by halving and allgather by doubling, 2 log2 p rounds",
}, AllreduceRabenseifner)

// AllreduceRabenseifner is Rabenseifner's algorithm (2004): a reduce-scatter in which the distance
// to the partner doubles and the exchanged part halves in each round, then an allgather with the
// same steps in reverse. Before the call, recv holds the rank's own operand. For powers of two,
// each rank sends 2*log2 p messages with 2(p-1)/p of the buffer in total. Otherwise, the ranks
// beyond the largest power of two send their operand to a neighbour first and receive the result at
// the end. Operands are combined in the order of ranks, because the nearest partners come first.
func AllreduceRabenseifner(c Comm, recv node.Buf, op *Op) {
	f := newFold(c.Size())
	in := scratch(recv.Len(), recv)
	if !foldIn(c, f, recv, in, op, tagAllreduce) {
		return
	}
	lo := halve(c, f, recv, in, op, tagAllreduce)
	redouble(c, f, recv, op, lo)
	foldOut(c, f, recv, tagAllreduce)
}

// halve performs the reduce-scatter. It reduces until each place has the complete result of one of
// pow2 chunks, and returns the number of this chunk.
func halve(c Comm, f fold, acc, in node.Buf, op *Op, tag int) (lo int) {
	rank := c.Rank()
	place := f.place(rank)
	width := f.pow2
	for bit := 1; bit < f.pow2; bit <<= 1 {
		width >>= 1
		keep, give := lo, lo+width
		if place&bit != 0 {
			keep, give = give, keep
		}
		partner := f.rank(place ^ bit)
		mine := op.chunks(acc, keep, keep+width, f.pow2)
		got := in.Slice(0, mine.Len())
		c.Sendrecv(op.chunks(acc, give, give+width, f.pow2), partner, tag,
			got, partner, tag)
		op.combine(c, mine, got, partner < rank)
		lo = keep
	}
	return lo
}

// redouble performs the allgather: it collects the chunks that halve has reduced, starting with
// chunk lo.
func redouble(c Comm, f fold, acc node.Buf, op *Op, lo int) {
	place := f.place(c.Rank())
	width := 1
	for bit := f.pow2 >> 1; bit > 0; bit >>= 1 {
		other := lo + width
		if place&bit != 0 {
			other = lo - width
		}
		partner := f.rank(place ^ bit)
		c.Sendrecv(op.chunks(acc, lo, lo+width, f.pow2), partner, tagAllreduce,
			op.chunks(acc, other, other+width, f.pow2), partner, tagAllreduce)
		lo = min(lo, other)
		width <<= 1
	}
}
