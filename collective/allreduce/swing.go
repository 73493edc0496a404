package allreduce

import (
	"fabricast/collective"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var (
	_ = Algorithms.RegisterWith(70, collective.Info{
		Name: collective.Swing, CommutativeOnly: true, Overlaps: true, Needs: collective.NeedsBox,
		Summary: "reduce-scatter and allgather on a torus, at distances 1, 1, 3, 5, 11 to alternating sides",
		Options: []collective.Option{steps.PortsOption},
	}, func(v collective.Values) Func { return onGrid(collective.Swing, steps.SwingSchedule, v[0]) })
	_ = Algorithms.RegisterWith(80, collective.Info{
		Name: collective.SwingWhole, CommutativeOnly: true, Overlaps: true, Needs: collective.NeedsBox,
		Summary: "exchanges of the whole buffer on a torus, at the distances of swing",
		Options: []collective.Option{steps.PortsOption},
	}, func(v collective.Values) Func { return SwingWhole(v[0]) })
)

// Swing is the bandwidth-optimal algorithm of De Sensi et al. (Swing: Short-cutting Rings for Higher
// Bandwidth Allreduce, NSDI 2024). On a torus of n dimensions the buffer is divided into 2n shares,
// each of which begins with another dimension or side; ports limits their number. Each rank sends, of
// each share, ceil(log2 k) messages for each dimension of size k in the reduce-scatter, and as many
// in the allgather, with 2(p-1)/p of the buffer in total.
func Swing(ports int) Func { return onGrid(collective.Swing, steps.SwingSchedule, ports) }

// SwingWhole is the latency-optimal algorithm of the same paper, which exchanges whole shares in
// half as many steps. Here, distances halve from step to step rather than double, which makes the
// results of all ranks bitwise equal.
func SwingWhole(ports int) Func {
	return func(c collective.Comm, recv node.Buf, op *collective.Op) {
		box := steps.GridOf(c, collective.KindAllreduce, collective.SwingWhole)
		steps.ReduceWhole(c, recv, box, steps.Ways(box.Dims, ports), op, collective.TagAllreduce)
	}
}

// onGrid returns an allreduce by a schedule on the grid of the ranks.
func onGrid(a collective.Algorithm, s steps.Schedule, ports int) Func {
	return func(c collective.Comm, recv node.Buf, op *collective.Op) {
		box := steps.GridOf(c, collective.KindAllreduce, a)
		inShares(c, recv, op, steps.BufferLanes(c, box, steps.Ways(box.Dims, ports), s, op, recv.Len()))
	}
}

// inShares performs a reduce-scatter and an allgather.
func inShares(c collective.Comm, recv node.Buf, op *collective.Op, lanes []steps.Lane) {
	steps.ScatterLanes(c, recv, lanes, op, collective.TagAllreduce)
	steps.GatherLanes(c, recv, lanes, collective.TagAllreduce)
}
