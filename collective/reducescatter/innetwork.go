package reducescatter

import (
	"fabricast/collective"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var _ = Algorithms.Register(200, collective.Info{
	Name: collective.InNetwork, CommutativeOnly: true, Overlaps: true, Sized: true, Needs: collective.NeedsReduction,
	Summary: "by switches: the operands of each block up an aggregation tree, the result down to its rank",
}, InNetwork)

// InNetwork is a reduction of the block of each rank, one after the other. What switches cannot combine
// is reduced by the ranks, pairwise.
func InNetwork(c collective.Comm, send, recv node.Buf, op *collective.Op) {
	t := steps.TreesOf(c, collective.KindReduceScatter, collective.NeedsReduction)
	if !steps.Combined(c, t, send, op) {
		Pairwise(c, send, recv, op)
		return
	}
	block := recv.Len()
	s := steps.NewSegments(block, t.Payload, op.ElemSize())
	n := s.Count()
	steps.Through(c, t, c.Size()*n, collective.TagReduceScatter, op, func(i int) steps.Piece {
		to := i / n
		p := steps.Piece{Give: s.Of(send.Slice(to*block, block), i%n)}
		if to == c.Rank() {
			p.Take, p.Wanted = s.Of(recv, i%n), true
		}
		return p
	})
}
