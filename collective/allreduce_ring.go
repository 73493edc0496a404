package collective

import "fabricast/node"

// AllreduceRing is the bandwidth-optimal ring algorithm (Patarasuk and Yuan
// 2009). The buffer is cut into p chunks of whole elements. Chunks travel up
// the ring p-1 times, gathering operands on their way, then p-1 times more with
// the result. recv holds the rank's own operand at first. 2(p-1) messages per
// rank of about 1/p of the buffer each, for any number of ranks. The operands
// of a chunk are combined in the order in which it meets them, which begins at
// another rank for each: the operation must be commutative.
func AllreduceRing(c Comm, recv node.Buf, op *Op) {
	p, rank := c.Size(), c.Rank()
	to, from := above(rank, p), below(rank, p)
	in := scratch(recv.Len()/p+op.elem(), recv) // no chunk is longer
	for k := c.Round(0, p-1); k < p-1; k = c.Round(k+1, p-1) {
		have := (rank - k + p) % p
		next := below(have, p)
		acc := op.chunks(recv, next, next+1, p)
		got := in.Slice(0, acc.Len())
		c.Sendrecv(op.chunks(recv, have, have+1, p), to, tagAllreduce, got, from, tagAllreduce)
		op.combine(acc, got, true)
	}
	for k := c.Round(0, p-1); k < p-1; k = c.Round(k+1, p-1) {
		have := (rank - k + 1 + p) % p
		next := below(have, p)
		c.Sendrecv(op.chunks(recv, have, have+1, p), to, tagAllreduce,
			op.chunks(recv, next, next+1, p), from, tagAllreduce)
	}
}
