package allreduce

import (
	"fabricast/collective"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var (
	_ = Algorithms.Register(100, collective.Info{
		Name: collective.Bine, CommutativeOnly: true, Overlaps: true,
		Summary: "as rabenseifner, at distances 1, 1, 3, 5, 11 in the order of ranks",
	}, Bine)
	_ = Algorithms.Register(110, collective.Info{
		Name: collective.BineWhole, CommutativeOnly: true, Overlaps: true,
		Summary: "as recursive-doubling, at the distances of bine",
	}, BineWhole)
)

// Bine is the allreduce for long vectors of De Sensi et al. (Bine Trees: Enhancing Collective
// Operations by Optimizing Communication Locality, SC 2025): a reduce-scatter and an allgather whose
// partners are nearer than powers of two, so that less crosses between groups of nodes. Each rank
// sends 2 ceil(log2 p) messages with 2(p-1)/p of the buffer in total, for any number of ranks. Blocks
// that are not neighbours are packed.
func Bine(c collective.Comm, recv node.Buf, op *collective.Op) {
	inShares(c, recv, op, steps.BufferLanes(c, steps.RowOf(c), 1, steps.SwingSchedule, op, recv.Len()))
}

// BineWhole is the allreduce for short vectors of the same paper, which exchanges the whole buffer in
// each step. If p is no power of two, ranks are paired as in RecursiveDoubling.
func BineWhole(c collective.Comm, recv node.Buf, op *collective.Op) {
	steps.ReduceWhole(c, recv, steps.RowOf(c), 1, op, collective.TagAllreduce)
}
