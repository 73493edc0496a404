package broadcast

import (
	"fabricast/collective"
	"fabricast/collective/internal/partners"
	"fabricast/node"
)

var _ = Algorithms.Register(30, collective.Info{
	Name: collective.ScatterDoubling, PowerOfTwo: true,
	Summary: "scatter down a binomial tree, then allgather by recursive doubling",
}, ScatterDoubling)

// ScatterDoubling is the broadcast for messages of medium length of Thakur, Rabenseifner and Gropp
// (2005). The message is divided into p chunks, which are scattered down a binomial tree and then
// collected by all ranks with recursive doubling. The scatter takes p-1 messages, and the allgather
// p log2 p. p must be a power of two.
func ScatterDoubling(c collective.Comm, buf node.Buf, root int) {
	t := partners.NewTree(c, root)
	scatterChunks(c, t, buf)
	for bit := 1; bit < t.P; bit <<= 1 {
		partner := t.Rel ^ bit
		mine, theirs := t.Rel&^(bit-1), partner&^(bit-1)
		c.Sendrecv(chunks(buf, t.P, mine, mine+bit), t.Rank(partner), collective.TagBroadcast,
			chunks(buf, t.P, theirs, theirs+bit), t.Rank(partner), collective.TagBroadcast)
	}
}
