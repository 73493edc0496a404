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

// NeighborExchange exchanges blocks alternately with the rank above and the rank below: its own
// block in the first round, and in later rounds the two blocks received in the previous round (Chen
// et al., Performance evaluation of allgather algorithms on terascale Linux cluster with Fast
// Ethernet, HPC-Asia 2005). Each rank sends p/2 messages with p-1 blocks in total. p must be even,
// or 1.
func NeighborExchange(c collective.Comm, send, recv node.Buf) {
	p, rank, block := c.Size(), c.Rank(), send.Len()
	steps.Move(c, recv.Slice(rank*block, block), send)
	if p == 1 {
		return
	}
	// The pairs of blocks received from the two neighbours are on both sides of the rank's own
	// block.
	partner, step, from := [2]int{partners.Above(rank, p), partners.Below(rank, p)}, [2]int{2, -2}, rank
	if rank%2 != 0 {
		partner, step, from = [2]int{partners.Below(rank, p), partners.Above(rank, p)}, [2]int{-2, 2}, rank-1
	}
	own := recv.Slice(rank*block, block)
	c.Sendrecv(own, partner[0], collective.TagAllgather, recv.Slice(partner[0]*block, block), partner[0], collective.TagAllgather)
	next := [2]int{from, from} // first block of the pair received last from each partner
	for k := 1; k < p/2; k++ {
		side := k % 2
		next[side] = (next[side] + step[side] + p) % p
		c.Sendrecv(recv.Slice(from*block, 2*block), partner[side], collective.TagAllgather,
			recv.Slice(next[side]*block, 2*block), partner[side], collective.TagAllgather)
		from = next[side]
	}
}
