package scatter

import (
	"fabricast/collective"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var _ = Algorithms.Register(20, collective.Info{
	Name: collective.Linear, Summary: "from the root to every rank, one after the other",
}, Linear)

// Linear sends every block from the root, one after another in the order of ranks (the linear
// algorithm of Open MPI). There are p-1 messages in total.
func Linear(c collective.Comm, send, recv node.Buf, root int) {
	if c.Rank() != root {
		c.Recv(recv, root, collective.TagScatter)
		return
	}
	block := recv.Len()
	for to := range c.Size() {
		if to == root {
			steps.Move(c, recv, send.Slice(to*block, block))
		} else {
			c.Send(send.Slice(to*block, block), to, collective.TagScatter)
		}
	}
}
