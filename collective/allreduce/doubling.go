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
	f := partners.NewFold(c.Size())
	in := steps.ScratchOn(c, recv.Len(), recv)
	if !steps.FoldIn(c, f, recv, in, op, collective.TagAllreduce) {
		return
	}
	if n := partners.Log2(f.Pow2); !recv.HasData() {
		collective.Rounds{By: doubling{}, N: n, Bytes: recv.Len(), Op: op}.On(c)
	} else {
		for k := c.Round(0, n); k < n; k = c.Round(k+1, n) {
			double(c, f, recv, in, op, k)
		}
	}
	steps.FoldOut(c, f, recv, collective.TagAllreduce)
}

// double exchanges the buffer in round k, and combines.
func double(c collective.Comm, f partners.Fold, recv, in node.Buf, op *collective.Op, k int) {
	rank := c.Rank()
	partner := f.Rank(f.Place(rank) ^ 1<<k)
	c.Sendrecv(recv, partner, collective.TagAllreduce, in, partner, collective.TagAllreduce)
	steps.Combine(c, op, recv, in, partner < rank)
}

// doubling are the rounds of RecursiveDoubling without contents.
type doubling struct{}

// Round implements collective.Rounder.
func (doubling) Round(c collective.Comm, r collective.Rounds, k int) {
	buf := node.Size(r.Bytes)
	double(c, partners.NewFold(c.Size()), buf, buf, r.Op, k)
}
