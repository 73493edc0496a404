package scatter

import (
	"fabricast/collective"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

// Func is a scatter algorithm: it copies block r of the root's send buffer to recv at rank r.
type Func func(c collective.Comm, send, recv node.Buf, root int)

// Algorithms holds the scatter algorithms.
var Algorithms = collective.NewFamily[Func](collective.TagScatter, collective.KindScatter)

// Run distributes the root's send buffer, which contains one block for each rank in the order of
// ranks, with algorithm a. It does not use send at other ranks. All recv buffers must have the same
// length.
func Run(c collective.Comm, send, recv node.Buf, root int, a collective.Algorithm) {
	steps.CheckRoot(collective.KindScatter, c, root)
	if c.Rank() == root {
		steps.CheckLen(collective.KindScatter, "send", send, recv.Len()*c.Size())
		steps.CheckPair(collective.KindScatter, send, recv)
	}
	chosen := Algorithms.Choose(a, c.Size())
	chosen.Run(chosen.Start(c, collective.Start{Root: root}), send, recv, root)
}

var _ = Algorithms.Register(10, collective.Info{
	Name: collective.Binomial, Summary: "down a binomial tree, subtrees in one message",
}, Binomial)

// Binomial scatters down a binomial tree (Thakur, Rabenseifner and Gropp 2005). There are
// p-1 messages in total, ceil(log2 p) of them on the longest path. A rank receives the blocks of
// its whole subtree in one message and forwards them to its subtrees, the largest first.
func Binomial(c collective.Comm, send, recv node.Buf, root int) {
	steps.DealOut(c, send, recv, root, collective.TagScatter)
}
