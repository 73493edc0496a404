package collective

import "fabricast/node"

var _ = allgathers.register(40, Info{
	Name: NeighborExchange, Even: true,
	Summary: "p/2 rounds of two blocks, with the rank above and the rank below in turn",
}, AllgatherNeighborExchange)

// AllgatherNeighborExchange exchanges blocks with the rank above and the rank below in turn: its own
// block in the first round, and in the others the two blocks that it got in the round before (Chen
// et al., Performance evaluation of allgather algorithms on terascale Linux cluster with Fast
// Ethernet, HPC-Asia 2005). p/2 messages and p-1 blocks sent per rank; p must be even, or 1.
func AllgatherNeighborExchange(c Comm, send, recv node.Buf) {
	p, rank, block := c.Size(), c.Rank(), send.Len()
	move(c, recv.Slice(rank*block, block), send)
	if p == 1 {
		return
	}
	// Pairs of blocks that come from the two neighbours lie on both sides of the rank's own.
	partner, step, from := [2]int{above(rank, p), below(rank, p)}, [2]int{2, -2}, rank
	if rank%2 != 0 {
		partner, step, from = [2]int{below(rank, p), above(rank, p)}, [2]int{-2, 2}, rank-1
	}
	own := recv.Slice(rank*block, block)
	c.Sendrecv(own, partner[0], tagAllgather, recv.Slice(partner[0]*block, block), partner[0], tagAllgather)
	next := [2]int{from, from} // the first block of the pair that came last from each partner
	for k := 1; k < p/2; k++ {
		side := k % 2
		next[side] = (next[side] + step[side] + p) % p
		c.Sendrecv(recv.Slice(from*block, 2*block), partner[side], tagAllgather,
			recv.Slice(next[side]*block, 2*block), partner[side], tagAllgather)
		from = next[side]
	}
}
