package reduce

import (
	"fabricast/collective"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var _ = Algorithms.Register(80, collective.Info{
	Name: collective.Linear, Summary: "from every rank to the root, one after the other",
}, Linear)

// Linear sends all operands directly to the root, which combines them in the order of ranks,
// starting with the last rank (the linear algorithm of Open MPI). There are p-1 messages in total.
func Linear(c collective.Comm, send, recv node.Buf, op *collective.Op, root int) {
	if c.Rank() != root {
		c.Send(send, root, collective.TagReduce)
		return
	}
	steps.FanIn(c, send, recv, op, collective.TagReduce)
}
