package allreduce

import (
	"fabricast/collective"
	"fabricast/collective/internal/partners"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var _ = Algorithms.Register(10, collective.Info{
	Name: collective.RecursiveDoubling, Stackless: true,
	Summary: "log2 p exchanges of the whole buffer with rank XOR 2^k",
}, RecursiveDoubling)

// RecursiveDoubling exchanges the whole buffer with rank XOR 2^k in round k (Thakur, Rabenseifner
// and Gropp 2005). Before the call, recv holds the rank's own operand. For powers of two, each rank
// sends log2 p messages. Otherwise, the ranks beyond the largest power of two send their operand to
// a neighbour first, and receive the result at the end. Operands are combined in the order of
// ranks.
func RecursiveDoubling(c collective.Comm, recv node.Buf, op *collective.Op) {
	rank, f := c.Rank(), partners.NewFold(c.Size())
	in := steps.ScratchOn(c, recv.Len(), recv)
	if !steps.FoldIn(c, f, recv, in, op, collective.TagAllreduce) {
		return
	}
	place, n := f.Place(rank), partners.Log2(f.Pow2)
	for k := c.Round(0, n); k < n; k = c.Round(k+1, n) {
		partner := f.Rank(place ^ 1<<k)
		c.Sendrecv(recv, partner, collective.TagAllreduce, in, partner, collective.TagAllreduce)
		steps.Combine(c, op, recv, in, partner < rank)
	}
	steps.FoldOut(c, f, recv, collective.TagAllreduce)
}
