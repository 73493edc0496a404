package alltoall

import (
	"fabricast/collective"
	"fabricast/node"
)

var _ = Algorithms.Register(30, collective.Info{
	Name:       collective.Pairwise,
	Alias:      "pwx",
	Stackless:  true,
	Summary:    "p-1 rounds: exchange with rank XOR i",
	PowerOfTwo: true,
}, Pairwise)

// Pairwise is the pairwise exchange (Thakur, Rabenseifner and Gropp 2005; the pair algorithm of
// Faraj and Yuan 2005). In round i, every rank exchanges a block with rank XOR i, so that the ranks
// form pairs. Each rank sends p-1 messages of one block. p must be a power of two.
func Pairwise(c collective.Comm, send, recv node.Buf) {
	p, rank := c.Size(), c.Rank()
	block := send.Len() / p
	k := c.Round(0, p-1)
	if k == 0 {
		ownBlock(c, send, recv)
	}
	for ; k < p-1; k = c.Round(k+1, p-1) {
		partner := rank ^ (k + 1)
		c.Sendrecv(send.Slice(partner*block, block), partner, collective.TagAlltoall,
			recv.Slice(partner*block, block), partner, collective.TagAlltoall)
	}
}
