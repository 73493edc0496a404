package allgather

import (
	"fabricast/collective"
	"fabricast/collective/internal/partners"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var _ = Algorithms.Register(50, collective.Info{
	Name: collective.Linear, Summary: "gather at rank 0, one after the other, then broadcast down a binomial tree",
}, Linear)

// Linear gathers all blocks at rank 0, one after another, and broadcasts them down a binomial tree
// (the linear algorithm of Open MPI). There are 2(p-1) messages in total.
func Linear(c collective.Comm, send, recv node.Buf) {
	steps.CollectBlocks(c, send, recv, 0, collective.TagAllgather)
	steps.Down(c, recv, partners.BinomialDown.At(c, 0), steps.NewSegments(recv.Len(), 0, 1), collective.TagAllgather)
}
