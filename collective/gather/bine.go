package gather

import (
	"fabricast/collective"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var _ = Algorithms.Register(40, collective.Info{
	Name: collective.Bine, Overlaps: true, Summary: "up a Bine tree, subtrees in one message",
}, Bine)

// Bine gathers up a binomial negabinary tree (De Sensi et al., Bine Trees: Enhancing Collective
// Operations by Optimizing Communication Locality, SC 2025). There are p-1 messages in total, for any
// number of ranks. A rank sends the blocks of its whole subtree in one message.
func Bine(c collective.Comm, send, recv node.Buf, root int) {
	block := send.Len()
	if c.Rank() != root {
		recv = steps.Scratch(c.Size()*block, send)
	}
	steps.Move(c, recv.Slice(c.Rank()*block, block), send)
	chunk := func(rank int) (int, int) { return rank * block, block }
	steps.BineGather(c, root, recv, chunk, collective.TagGather)
}
