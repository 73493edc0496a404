package collective

import "fabricast/node"

var (
	_ = allreduces.register(50, Info{
		Name: Nonoverlapping, Summary: "reduce up a binomial tree, then broadcast down one",
	}, AllreduceNonoverlapping)
	_ = allreduces.register(60, Info{
		Name: Linear, Summary: "all operands to rank 0, and the result from there to all",
	}, AllreduceLinear)
)

// AllreduceNonoverlapping reduces to rank 0 up a binomial tree, then broadcasts down one (the name
// is Open MPI's). There are 2(p-1) messages in total. Operands are combined in the order of ranks.
func AllreduceNonoverlapping(c Comm, recv node.Buf, op *Op) {
	climb(c, newTree(c, 0), recv, op, tagAllreduce)
	down(c, recv, binomialDown.at(c, 0), newSegments(recv.Len(), 0, 1), tagAllreduce)
}

// AllreduceLinear sends all operands to rank 0, and the result from there to every rank (the linear
// algorithm of Open MPI). There are 2(p-1) messages in total. Operands are combined in the order of
// ranks.
func AllreduceLinear(c Comm, recv node.Buf, op *Op) {
	if c.Rank() == 0 {
		fanIn(c, recv, recv, op, tagAllreduce)
	} else {
		c.Send(recv, 0, tagAllreduce)
	}
	fanOut(c, recv, 0, tagAllreduce)
}
