package allreduce

import (
	"fabricast/collective"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var _ = Algorithms.Register(200, collective.Info{
	Name: collective.InNetwork, CommutativeOnly: true, Overlaps: true, Sized: true, Needs: collective.NeedsReduction,
	Summary: "by switches: operands up an aggregation tree, the result down",
}, InNetwork)

// InNetwork is the reduction of switches (Graham et al., Scalable hierarchical aggregation protocol,
// COM-HPC 2016; streaming: Graham et al., ISC 2020): each segment goes up a tree, where switches combine
// the operands of their children, and its result down. Every link of the tree carries the buffer once
// each way. Operands are combined in the tree's order. An operation of the program's own, or one whose
// elements do not fit into a packet, is carried out by the ranks, by recursive doubling; so is all without
// room for a tree.
func InNetwork(c collective.Comm, recv node.Buf, op *collective.Op) {
	t := steps.TreesOf(c, collective.KindAllreduce, collective.NeedsReduction)
	if !steps.Combined(c, t, recv, op) {
		RecursiveDoubling(c, recv, op)
		return
	}
	s := steps.NewSegments(recv.Len(), t.Payload, op.ElemSize())
	steps.Through(c, t, s.Count(), collective.TagAllreduce, op, func(i int) steps.Piece {
		return steps.Piece{Give: s.Of(recv, i), Take: s.Of(recv, i), Wanted: true}
	})
}
