package alltoall

import (
	"fabricast/collective"
	"fabricast/node"
)

var _ = Algorithms.Register(20, collective.Info{
	Name: collective.Ring, Stackless: true, Summary: "p-1 rounds: to the rank i above, from the rank i below",
}, Ring)

// Ring is the ring algorithm (Faraj and Yuan 2005). In round i every rank sends to the rank
// i above it and receives from the rank i below it. Each rank sends p-1 messages of one block, for
// any number of ranks.
func Ring(c collective.Comm, send, recv node.Buf) {
	p, rank := c.Size(), c.Rank()
	block := send.Len() / p
	k := c.Round(0, p-1)
	if k == 0 {
		ownBlock(c, send, recv)
	}
	for ; k < p-1; k = c.Round(k+1, p-1) {
		to, from := (rank+k+1)%p, (rank-k-1+p)%p
		c.Sendrecv(send.Slice(to*block, block), to, collective.TagAlltoall,
			recv.Slice(from*block, block), from, collective.TagAlltoall)
	}
}
