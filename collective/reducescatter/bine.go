package reducescatter

import (
	"fabricast/collective"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var _ = Algorithms.Register(70, collective.Info{
	Name: collective.Bine, CommutativeOnly: true, Overlaps: true,
	Summary: "as recursive-halving, at distances 1, 1, 3, 5, 11 in the order of ranks",
}, Bine)

// Bine is the reduce-scatter of Bine trees (De Sensi et al., SC 2025), the first half of
// allreduce.Bine. Each rank sends ceil(log2 p) messages with p-1 blocks in total, for any number of
// ranks.
func Bine(c collective.Comm, send, recv node.Buf, op *collective.Op) {
	inShares(c, send, recv, op, steps.RowOf(c), 1, steps.SwingSchedule)
}
