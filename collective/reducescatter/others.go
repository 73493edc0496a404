package reducescatter

import (
	"fabricast/collective"
	"fabricast/collective/internal/partners"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var (
	_ = Algorithms.Register(30, collective.Info{
		Name: collective.Ring, CommutativeOnly: true,
		Summary: "p-1 rounds of one block to the rank above, which combines it with its own",
	}, Ring)
	_ = Algorithms.Register(40, collective.Info{
		Name: collective.Nonoverlapping, Summary: "reduce to rank 0 up a binomial tree, then scatter down one",
	}, Nonoverlapping)
)

// Ring sends each block around the ring, starting at the rank above the block's owner. Every rank
// adds its operand to it (the ring algorithm of Open MPI; Patarasuk and Yuan 2009). Each rank sends
// p-1 messages of one block. The operation must be commutative.
func Ring(c collective.Comm, send, recv node.Buf, op *collective.Op) {
	p, rank, block := c.Size(), c.Rank(), recv.Len()
	to, from := partners.Above(rank, p), partners.Below(rank, p)
	acc, in := steps.Scratch(block, recv), steps.Scratch(block, recv)
	steps.Copied(c, send.Len()) // Open MPI combines in a copy of all operands
	copy(acc.Bytes(), send.Slice(from*block, block).Bytes())
	for k := range p - 1 {
		number := (rank - 2 - k + 2*p) % p
		c.Sendrecv(acc, to, collective.TagReduceScatter, in, from, collective.TagReduceScatter)
		steps.Combine(c, op, in, send.Slice(number*block, block), false)
		acc, in = in, acc
	}
	steps.Move(c, recv, acc)
}

// Nonoverlapping reduces to rank 0 up a binomial tree, and then scatters the blocks down a binomial
// tree (the name is Open MPI's). There are 2(p-1) messages in total. Operands are combined in the
// order of ranks.
func Nonoverlapping(c collective.Comm, send, recv node.Buf, op *collective.Op) {
	acc := steps.Scratch(send.Len(), send)
	steps.Move(c, acc, send)
	steps.Climb(c, partners.NewTree(c, 0), acc, op, collective.TagReduceScatter)
	steps.DealOut(c, acc, recv, 0, collective.TagReduceScatter)
}
