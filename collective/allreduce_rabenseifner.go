package collective

import "fabricast/node"

// AllreduceRabenseifner is Rabenseifner's algorithm (2004): a reduce-scatter in
// which the partner's distance doubles and the exchanged part halves, then an
// allgather that goes the same way back. recv holds the rank's own operand at
// first. For powers of two 2*log2 p messages per rank, together twice the
// buffer less 2/p; otherwise the ranks beyond a power of two hand their operand
// to a neighbour before and get the result after. Because partners are near
// first, operands are combined in the order of ranks.
func AllreduceRabenseifner(c Comm, recv node.Buf, op *Op) {
	f := newFold(c.Size())
	in := scratch(recv.Len(), recv)
	if !foldIn(c, f, recv, in, op, tagAllreduce) {
		return
	}
	lo := halve(c, f, recv, in, op)
	redouble(c, f, recv, op, lo)
	foldOut(c, f, recv, tagAllreduce)
}

// halve reduces until each place has the complete combination of one of pow2
// chunks, and returns that chunk's number.
func halve(c Comm, f fold, acc, in node.Buf, op *Op) (lo int) {
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
		c.Sendrecv(op.chunks(acc, give, give+width, f.pow2), partner, tagAllreduce,
			got, partner, tagAllreduce)
		op.combine(mine, got, partner < rank)
		lo = keep
	}
	return lo
}

// redouble gathers the chunks that halve left, from chunk lo on.
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
