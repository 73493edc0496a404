package allgather

import (
	"fabricast/collective"
	"fabricast/collective/internal/partners"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var _ = Algorithms.Register(40, collective.Info{
	Name: collective.NeighborExchange, Even: true,
	Summary: "p/2 rounds of two blocks, with the rank above and the rank below in turn",
}, NeighborExchange)

// NeighborExchange exchanges blocks with the rank above and the rank below in turn: its own
// block in the first round, and in the others the two blocks that it got in the round before (Chen
// et al., Performance evaluation of allgather algorithms on terascale Linux cluster with Fast
// Ethernet, HPC-Asia 2005). p/2 messages and p-1 blocks sent per rank; p must be even, or 1.
func NeighborExchange(c collective.Comm, send, recv node.Buf) {
	p, rank, block := c.Size(), c.Rank(), send.Len()
	steps.Move(c, recv.Slice(rank*block, block), send)
	if p == 1 {
		return
	}
	// Pairs of blocks that come from the two neighbours lie on both sides of the rank's own.
	partner, step, from := [2]int{partners.Above(rank, p), partners.Below(rank, p)}, [2]int{2, -2}, rank
	if rank%2 != 0 {
		partner, step, from = [2]int{partners.Below(rank, p), partners.Above(rank, p)}, [2]int{-2, 2}, rank-1
	}
	own := recv.Slice(rank*block, block)
	c.Sendrecv(own, partner[0], collective.TagAllgather, recv.Slice(partner[0]*block, block), partner[0], collective.TagAllgather)
	next := [2]int{from, from} // the first block of the pair that came last from each partner
	for k := 1; k < p/2; k++ {
		side := k % 2
		next[side] = (next[side] + step[side] + p) % p
		c.Sendrecv(recv.Slice(from*block, 2*block), partner[side], collective.TagAllgather,
			recv.Slice(next[side]*block, 2*block), partner[side], collective.TagAllgather)
		from = next[side]
	}
}
