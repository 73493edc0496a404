package collective

import "fabricast/node"

var _ = alltoalls.register(20, Info{
	Name: Ring, Stackless: true, Summary: "p-1 rounds: to the rank i above, from the rank i below",
}, AlltoallRing)

// AlltoallRing is the ring algorithm (Faraj and Yuan 2005). In round i every rank sends to the rank
// i above it and receives from the rank i below it. Each rank sends p-1 messages of one block, for
// any number of ranks.
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

// above returns the next rank on a ring of p ranks.
func above(rank, p int) int {
	if rank+1 == p {
		return 0
	}
	return rank + 1
}

// below returns the previous rank on a ring of p ranks.
func below(rank, p int) int {
	if rank == 0 {
		return p - 1
	}
	return rank - 1
}
