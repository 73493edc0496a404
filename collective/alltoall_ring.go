package collective

import "fabricast/node"

// AlltoallRing is the ring algorithm (Faraj and Yuan 2005): in round i every
// rank sends to the rank i above it and receives from the rank i below it.
// p-1 messages of one block each per rank, for any number of ranks.
func AlltoallRing(c Comm, send, recv node.Buf) {
	p, rank := c.Size(), c.Rank()
	block := send.Len() / p
	k := c.Round(0, p-1)
	if k == 0 {
		ownBlock(c, send, recv)
	}
	for ; k < p-1; k = c.Round(k+1, p-1) {
		to, from := (rank+k+1)%p, (rank-k-1+p)%p
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
