package collective

import "fabricast/node"

var _ = allreduces.register(10, Info{
	Name: RecursiveDoubling, Stackless: true,
	Summary: "log2 p exchanges of the whole buffer with rank XOR 2^k",
}, AllreduceRecursiveDoubling)

// AllreduceRecursiveDoubling exchanges the whole buffer with rank XOR 2^k in round k (Thakur,
// Rabenseifner and Gropp 2005). Before the call, recv holds the rank's own operand. Each rank sends
// log2 p messages. If p is not a power of two, the ranks beyond the largest one send their operand
// to a neighbour first and receive the result at the end. Operands are combined in the order of
// ranks.
func AllreduceRecursiveDoubling(c Comm, recv node.Buf, op *Op) {
	rank, f := c.Rank(), newFold(c.Size())
	in := scratchOn(c, recv.Len(), recv)
	if !foldIn(c, f, recv, in, op, tagAllreduce) {
		return
	}
	place, n := f.place(rank), log2(f.pow2)
	for k := c.Round(0, n); k < n; k = c.Round(k+1, n) {
		partner := f.rank(place ^ 1<<k)
		c.Sendrecv(recv, partner, tagAllreduce, in, partner, tagAllreduce)
		op.combine(c, recv, in, partner < rank)
	}
	foldOut(c, f, recv, tagAllreduce)
}

// foldIn sends the operands of idle ranks to their partners (see fold), which combine them. At an
// idle rank it waits for the result and returns false, because the rank is done.
func foldIn(c Comm, f fold, acc, in node.Buf, op *Op, tag int) bool {
	rank := c.Rank()
	switch {
	case f.idle(rank):
		c.Send(acc, rank+1, tag)
		c.Recv(acc, rank+1, tag)
		return false
	case f.paired(rank):
		c.Recv(in, rank-1, tag)
		op.combine(c, acc, in, true)
	}
	return true
}

// foldOut sends the result to the idle ranks.
func foldOut(c Comm, f fold, acc node.Buf, tag int) {
	if f.paired(c.Rank()) {
		c.Send(acc, c.Rank()-1, tag)
	}
}
