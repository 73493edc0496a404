package broadcast

import (
	"fabricast/collective"
	"fabricast/collective/internal/partners"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var (
	_ = Algorithms.Register(110, collective.Info{
		Name: collective.Bine, Overlaps: true, Summary: "the message down a Bine tree, the farthest first",
	}, Bine)
	_ = Algorithms.Register(120, collective.Info{
		Name: collective.BineScatter, Overlaps: true,
		Summary: "scatter down a Bine tree, then allgather at the distances of bine",
	}, BineScatter)
)

// Bine sends the message down a binomial negabinary tree (De Sensi et al., Bine Trees: Enhancing
// Collective Operations by Optimizing Communication Locality, SC 2025). There are p-1 messages in
// total, ceil(log2 p) of them on the longest path, for any number of ranks.
func Bine(c collective.Comm, buf node.Buf, root int) {
	s := steps.NewSegments(buf.Len(), 0, 1)
	steps.Down(c, buf, partners.Shaper(partners.BineDown).At(c, root), s, collective.TagBroadcast)
}

// BineScatter is the broadcast for long messages of the same paper. The message is divided into p
// chunks, which are scattered down a Bine tree and then collected as in allgather.Bine.
func BineScatter(c collective.Comm, buf node.Buf, root int) {
	lane := steps.BufferLanes(c, steps.RowOf(c), 1, steps.SwingSchedule, nil, buf.Len())
	steps.BineScatter(c, root, buf, lane[0].Chunk, collective.TagBroadcast)
	steps.GatherLanes(c, buf, lane, collective.TagBroadcast)
}
