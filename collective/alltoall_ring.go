package collective

import "fabricast/node"

// AlltoallRing is the ring algorithm (Faraj and Yuan 2005): in round i every
// rank sends to the rank i above it and receives from the rank i below it.
// p-1 messages of one block each per rank, for any number of ranks.
func AlltoallRing(c Comm, send, recv node.Buf) {
	p, rank := c.Size(), c.Rank()
	block := ownBlock(c, send, recv)
	to, from := rank, rank
	for range p - 1 {
		to, from = above(to, p), below(from, p)
		c.Sendrecv(send.Slice(to*block, block), to, tagAlltoall,
			recv.Slice(from*block, block), from, tagAlltoall)
	}
}

// above is the next rank on the ring of p ranks.
func above(rank, p int) int {
	if rank+1 == p {
		return 0
	}
	return rank + 1
}

// below is the rank before on the ring of p ranks.
func below(rank, p int) int {
	if rank == 0 {
		return p - 1
	}
	return rank - 1
}
