package collective

import "fabricast/node"

// ReduceScatterFunc is a reduce-scatter algorithm: it combines block r of all ranks' send buffers
// into recv at rank r.
type ReduceScatterFunc func(c Comm, send, recv node.Buf, op *Op)

var reduceScatters = family[ReduceScatterFunc]{kind: KindReduceScatter}

// ReduceScatter combines the send buffers of all ranks, each with one block for each rank, and
// leaves block r of the result in recv at rank r.
func ReduceScatter(c Comm, send, recv node.Buf, op *Op, a Algorithm) {
	checkLen(KindReduceScatter, "send", send, recv.Len()*c.Size())
	checkPair(KindReduceScatter, send, recv)
	op.check(KindReduceScatter, recv)
	reduceScatters.pickOp(a, c.Size(), op)(reduceScatters.start(c, a, 0, op.Ordered()), send, recv, op)
}

var _ = reduceScatters.register(20, Info{
	Name:            Pairwise,
	Summary:         "p-1 rounds of one block: to the rank i above, from the rank i below",
	CommutativeOnly: true,
}, ReduceScatterPairwise)

// ReduceScatterPairwise sends, in round i, the block of the rank i above to it, and receives from
// the rank i below (Thakur, Rabenseifner and Gropp 2005, for long messages). Each rank sends p-1
// messages of one block, for any number of ranks.
func ReduceScatterPairwise(c Comm, send, recv node.Buf, op *Op) {
	p, rank, block := c.Size(), c.Rank(), recv.Len()
	move(c, recv, send.Slice(rank*block, block))
	in := scratch(block, recv)
	for k := c.Round(0, p-1); k < p-1; k = c.Round(k+1, p-1) {
		to, from := (rank+k+1)%p, (rank-k-1+p)%p
		c.Sendrecv(send.Slice(to*block, block), to, tagReduceScatter, in, from, tagReduceScatter)
		op.combine(c, recv, in, true)
	}
}

var _ = reduceScatters.register(10, Info{
	Name:            RecursiveHalving,
	Summary:         "log2 p rounds, halving what is exchanged",
	CommutativeOnly: true,
}, ReduceScatterRecursiveHalving)

// ReduceScatterRecursiveHalving exchanges one half of the blocks, then a quarter and so on, with
// partners at half the distance each time (Thakur, Rabenseifner and Gropp 2005, for short
// messages). For powers of two, each rank sends log2 p messages and p-1 blocks in total. Otherwise,
// the ranks beyond the largest power of two send all blocks to a neighbour first and receive their
// block of the result at the end.
func ReduceScatterRecursiveHalving(c Comm, send, recv node.Buf, op *Op) {
	rank, block, f := c.Rank(), recv.Len(), newFold(c.Size())
	if f.idle(rank) {
		c.Send(send, rank+1, tagReduceScatter)
		c.Recv(recv, rank+1, tagReduceScatter)
		return
	}
	acc, in := scratch(send.Len(), send), scratch(send.Len(), send)
	move(c, acc, send)
	if f.paired(rank) {
		c.Recv(in, rank-1, tagReduceScatter)
		op.combine(c, acc, in, true)
	}
	halveBlocks(c, f, acc, in, block, op)
	move(c, recv, acc.Slice(rank*block, block))
	if f.paired(rank) {
		c.Send(acc.Slice((rank-1)*block, block), rank-1, tagReduceScatter)
	}
}

// halveBlocks reduces until each place has the complete result of the blocks of the ranks that it
// stands for.
func halveBlocks(c Comm, f fold, acc, in node.Buf, block int, op *Op) {
	place := f.place(c.Rank())
	keep := 0
	for width := f.pow2 >> 1; width > 0; width >>= 1 {
		give := keep + width
		if place&width != 0 {
			keep, give = give, keep
		}
		partner := f.rank(place ^ width)
		mine := part(acc, f.first(keep)*block, f.first(keep+width)*block)
		got := in.Slice(0, mine.Len())
		c.Sendrecv(part(acc, f.first(give)*block, f.first(give+width)*block), partner, tagReduceScatter,
			got, partner, tagReduceScatter)
		op.combine(c, mine, got, true)
	}
}
