package allreduce

import (
	"fabricast/collective"
	"fabricast/collective/internal/partners"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var (
	_ = Algorithms.Register(50, collective.Info{
		Name: collective.Nonoverlapping, Summary: "reduce up a binomial tree, then broadcast down one",
	}, Nonoverlapping)
	_ = Algorithms.Register(60, collective.Info{
		Name: collective.Linear, Summary: "all operands to rank 0, and the result from there to all",
	}, Linear)
)

// Nonoverlapping reduces to rank 0 up a binomial tree, and then broadcasts the result down a
// binomial tree (the name is Open MPI's). There are 2(p-1) messages in total. Operands are combined
// in the order of ranks.
func Nonoverlapping(c collective.Comm, recv node.Buf, op *collective.Op) {
	steps.Climb(c, partners.NewTree(c, 0), recv, op, collective.TagAllreduce)
	steps.Down(c, recv, partners.BinomialDown.At(c, 0), steps.NewSegments(recv.Len(), 0, 1), collective.TagAllreduce)
}

// Linear sends all operands to rank 0, which sends the result to every rank (the linear algorithm
// of Open MPI). There are 2(p-1) messages in total. Operands are combined in the order of ranks.
func Linear(c collective.Comm, recv node.Buf, op *collective.Op) {
	if c.Rank() == 0 {
		steps.FanIn(c, recv, recv, op, collective.TagAllreduce)
	} else {
		c.Send(recv, 0, collective.TagAllreduce)
	}
	steps.FanOut(c, recv, 0, collective.TagAllreduce)
}
