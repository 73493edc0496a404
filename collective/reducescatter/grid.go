package reducescatter

import (
	"fabricast/collective"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var (
	_ = Algorithms.RegisterWith(50, collective.Info{
		Name: collective.Bucket, CommutativeOnly: true, Overlaps: true, Needs: collective.NeedsBox,
		Summary: "on the rings of a torus, one dimension after the other",
		Options: []collective.Option{steps.PortsOption},
	}, func(v collective.Values) Func { return onGrid(collective.Bucket, steps.BucketSchedule, v[0]) })
	_ = Algorithms.RegisterWith(60, collective.Info{
		Name: collective.Swing, CommutativeOnly: true, Overlaps: true, Needs: collective.NeedsBox,
		Summary: "on a torus, at distances 1, 1, 3, 5, 11 to alternating sides",
		Options: []collective.Option{steps.PortsOption},
	}, func(v collective.Values) Func { return onGrid(collective.Swing, steps.SwingSchedule, v[0]) })
)

// onGrid returns the reduce-scatter of allreduce.Bucket or allreduce.Swing (see there).
func onGrid(a collective.Algorithm, s steps.Schedule, ports int) Func {
	return func(c collective.Comm, send, recv node.Buf, op *collective.Op) {
		box := steps.GridOf(c, collective.KindReduceScatter, a)
		inShares(c, send, recv, op, box, steps.Ways(box.Dims, ports), s)
	}
}

func inShares(
	c collective.Comm, send, recv node.Buf, op *collective.Op, box *collective.Box, ways int, s steps.Schedule,
) {
	acc := steps.Scratch(send.Len(), send)
	steps.Move(c, acc, send)
	block := recv.Len()
	steps.ScatterLanes(c, acc, steps.BlockLanes(c, box, ways, s, op, block), op, collective.TagReduceScatter)
	steps.Move(c, recv, acc.Slice(c.Rank()*block, block))
}
