package allgather

import (
	"fabricast/collective"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var _ = Algorithms.Register(80, collective.Info{
	Name: collective.Bine, Overlaps: true,
	Summary: "as recursive-doubling, at distances 11, 5, 3, 1, 1 in the order of ranks",
}, Bine)

// Bine is the allgather of Bine trees (De Sensi et al., SC 2025), the second half of allreduce.Bine.
// Each rank sends ceil(log2 p) messages with p-1 blocks in total, for any number of ranks.
func Bine(c collective.Comm, send, recv node.Buf) {
	inShares(c, send, recv, steps.RowOf(c), 1, steps.SwingSchedule)
}
