package collective

import "fabricast/node"

var _ = reduces.register(80, Info{
	Name: Linear, Summary: "from every rank to the root, one after the other",
}, ReduceLinear)

// ReduceLinear sends all operands directly to the root, which combines them in the order of ranks,
// beginning with the last (the linear algorithm of Open MPI). There are p-1 messages in total.
func ReduceLinear(c Comm, send, recv node.Buf, op *Op, root int) {
	if c.Rank() != root {
		c.Send(send, root, tagReduce)
		return
	}
	fanIn(c, send, recv, op, tagReduce)
}

// fanIn receives the operands of all other ranks and combines them with own in acc, beginning with
// the last rank. own and acc may be the same buffer.
func fanIn(c Comm, own, acc node.Buf, op *Op, tag int) {
	last := c.Size() - 1
	mine := own
	if own.HasData() && own.Len() > 0 && acc.Len() > 0 && &own.Bytes()[0] == &acc.Bytes()[0] {
		mine = scratch(own.Len(), own)
		move(c, mine, own)
	}
	in := scratch(acc.Len(), acc)
	for from := last; from >= 0; from-- {
		next := in
		if from == last {
			next = acc
		}
		if from == c.Rank() {
			move(c, next, mine)
		} else {
			c.Recv(next, from, tag)
		}
		if from != last {
			op.combine(c, acc, in, true)
		}
	}
}
