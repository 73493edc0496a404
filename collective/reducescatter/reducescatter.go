package reducescatter

import (
	"fabricast/collective"
	"fabricast/collective/internal/partners"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

// Func is a reduce-scatter algorithm: it combines block r of the send buffers of all ranks in recv
// at rank r.
type Func func(c collective.Comm, send, recv node.Buf, op *collective.Op)

// Algorithms holds the reduce-scatter algorithms.
var Algorithms = collective.NewFamily[Func](collective.TagReduceScatter, collective.KindReduceScatter)

// Run combines the send buffers of all ranks, each of which has one block for each rank, and leaves
// block r of the result in recv at rank r. It uses algorithm a.
func Run(c collective.Comm, send, recv node.Buf, op *collective.Op, a collective.Algorithm) {
	steps.CheckLen(collective.KindReduceScatter, "send", send, recv.Len()*c.Size())
	steps.CheckPair(collective.KindReduceScatter, send, recv)
	steps.CheckOp(op, collective.KindReduceScatter, recv)
	chosen := Algorithms.ChooseOp(a, c.Size(), op)
	at := collective.Start{Ordered: op.Ordered(), Bytes: send.Len(), Elem: op.ElemSize()}
	chosen.Run(chosen.Start(c, at), send, recv, op)
}

var _ = Algorithms.Register(20, collective.Info{
	Name:            collective.Pairwise,
	Summary:         "p-1 rounds of one block: to the rank i above, from the rank i below",
	CommutativeOnly: true,
}, Pairwise)

// Pairwise is the algorithm for long messages of Thakur, Rabenseifner and Gropp (2005). In round i,
// every rank sends a block to the rank i above it, whose block it is, and receives one from the
// rank i below it. Each rank sends p-1 messages of one block, for any number of ranks.
func Pairwise(c collective.Comm, send, recv node.Buf, op *collective.Op) {
	p, rank, block := c.Size(), c.Rank(), recv.Len()
	steps.Move(c, recv, send.Slice(rank*block, block))
	in := steps.Scratch(block, recv)
	for k := c.Round(0, p-1); k < p-1; k = c.Round(k+1, p-1) {
		to, from := (rank+k+1)%p, (rank-k-1+p)%p
		c.Sendrecv(send.Slice(to*block, block), to, collective.TagReduceScatter, in, from, collective.TagReduceScatter)
		steps.Combine(c, op, recv, in, true)
	}
}

var _ = Algorithms.Register(10, collective.Info{
	Name:            collective.RecursiveHalving,
	Summary:         "log2 p rounds, halving what is exchanged",
	CommutativeOnly: true,
}, RecursiveHalving)

// RecursiveHalving is the algorithm for short messages of Thakur, Rabenseifner and Gropp (2005).
// Ranks exchange one half of the blocks, then a quarter, and so on; the distance to the partner
// halves each time. For powers of two, each rank sends log2 p messages with p-1 blocks in total.
// Otherwise, the ranks beyond the largest power of two send all blocks to a neighbour first, and
// receive their block of the result at the end.
func RecursiveHalving(c collective.Comm, send, recv node.Buf, op *collective.Op) {
	rank, block, f := c.Rank(), recv.Len(), partners.NewFold(c.Size())
	if f.Idle(rank) {
		c.Send(send, rank+1, collective.TagReduceScatter)
		c.Recv(recv, rank+1, collective.TagReduceScatter)
		return
	}
	acc, in := steps.Scratch(send.Len(), send), steps.Scratch(send.Len(), send)
	steps.Move(c, acc, send)
	if f.Paired(rank) {
		c.Recv(in, rank-1, collective.TagReduceScatter)
		steps.Combine(c, op, acc, in, true)
	}
	halveBlocks(c, f, acc, in, block, op)
	steps.Move(c, recv, acc.Slice(rank*block, block))
	if f.Paired(rank) {
		c.Send(acc.Slice((rank-1)*block, block), rank-1, collective.TagReduceScatter)
	}
}

// halveBlocks reduces by recursive halving. Afterwards, each place has the complete result of the
// blocks of the ranks that it stands for.
func halveBlocks(c collective.Comm, f partners.Fold, acc, in node.Buf, block int, op *collective.Op) {
	place := f.Place(c.Rank())
	keep := 0
	for width := f.Pow2 >> 1; width > 0; width >>= 1 {
		give := keep + width
		if place&width != 0 {
			keep, give = give, keep
		}
		partner := f.Rank(place ^ width)
		mine := steps.Part(acc, f.First(keep)*block, f.First(keep+width)*block)
		got := in.Slice(0, mine.Len())
		c.Sendrecv(steps.Part(acc, f.First(give)*block, f.First(give+width)*block), partner, collective.TagReduceScatter,
			got, partner, collective.TagReduceScatter)
		steps.Combine(c, op, mine, got, true)
	}
}
