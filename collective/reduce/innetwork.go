package reduce

import (
	"fabricast/collective"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var _ = Algorithms.Register(200, collective.Info{
	Name: collective.InNetwork, CommutativeOnly: true, Overlaps: true, Sized: true, Needs: collective.NeedsReduction,
	Summary: "by switches: operands up an aggregation tree, the result down to the root",
}, InNetwork)

// InNetwork is like allreduce's InNetwork, but the result goes to the root only; the other ranks get an
// empty packet. What switches cannot combine goes up a binomial tree of ranks.
func InNetwork(c collective.Comm, send, recv node.Buf, op *collective.Op, root int) {
	t := steps.TreesOf(c, collective.KindReduce, collective.NeedsReduction)
	if !steps.Combined(c, t, send, op) {
		Binomial(c, send, recv, op, root)
		return
	}
	s := steps.NewSegments(send.Len(), t.Payload, op.ElemSize())
	steps.Through(c, t, s.Count(), collective.TagReduce, op, func(i int) steps.Piece {
		if c.Rank() == root {
			return steps.Piece{Give: s.Of(send, i), Take: s.Of(recv, i), Wanted: true}
		}
		return steps.Piece{Give: s.Of(send, i)}
	})
}
