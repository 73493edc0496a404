package allgather

import (
	"fabricast/collective"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var (
	_ = Algorithms.RegisterWith(60, collective.Info{
		Name: collective.Bucket, Overlaps: true, Needs: collective.NeedsBox,
		Summary: "on the rings of a torus, one dimension after the other",
		Options: []collective.Option{steps.PortsOption},
	}, func(v collective.Values) Func { return onGrid(collective.Bucket, steps.BucketSchedule, v[0]) })
	_ = Algorithms.RegisterWith(70, collective.Info{
		Name: collective.Swing, Overlaps: true, Needs: collective.NeedsBox,
		Summary: "on a torus, at distances 11, 5, 3, 1, 1 to alternating sides",
		Options: []collective.Option{steps.PortsOption},
	}, func(v collective.Values) Func { return onGrid(collective.Swing, steps.SwingSchedule, v[0]) })
)

// onGrid returns the allgather of allreduce.Bucket or allreduce.Swing (see there).
func onGrid(a collective.Algorithm, s steps.Schedule, ports int) Func {
	return func(c collective.Comm, send, recv node.Buf) {
		box := steps.GridOf(c, collective.KindAllgather, a)
		inShares(c, send, recv, box, steps.Ways(box.Dims, ports), s)
	}
}

func inShares(c collective.Comm, send, recv node.Buf, box *collective.Box, ways int, s steps.Schedule) {
	block := send.Len()
	steps.Move(c, recv.Slice(c.Rank()*block, block), send)
	steps.GatherLanes(c, recv, steps.BlockLanes(c, box, ways, s, nil, block), collective.TagAllgather)
}
