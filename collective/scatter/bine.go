package scatter

import (
	"fabricast/collective"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var _ = Algorithms.Register(30, collective.Info{
	Name: collective.Bine, Overlaps: true, Summary: "down a Bine tree, subtrees in one message",
}, Bine)

// Bine scatters down a binomial negabinary tree (De Sensi et al., Bine Trees: Enhancing Collective
// Operations by Optimizing Communication Locality, SC 2025). There are p-1 messages in total, for any
// number of ranks. A rank receives the blocks of its whole subtree in one message.
func Bine(c collective.Comm, send, recv node.Buf, root int) {
	block := recv.Len()
	if c.Rank() != root {
		send = steps.Scratch(c.Size()*block, recv)
	}
	chunk := func(rank int) (int, int) { return rank * block, block }
	steps.BineScatter(c, root, send, chunk, collective.TagScatter)
	steps.Move(c, recv, send.Slice(c.Rank()*block, block))
}
