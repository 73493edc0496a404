package collective

import "fabricast/node"

var (
	_ = reduceScatters.register(30, Info{
		Name: Ring, CommutativeOnly: true,
		Summary: "p-1 rounds of one block to the rank above, which combines it with its own",
	}, ReduceScatterRing)
	_ = reduceScatters.register(40, Info{
		Name: Nonoverlapping, Summary: "reduce to rank 0 up a binomial tree, then scatter down one",
	}, ReduceScatterNonoverlapping)
)

// ReduceScatterRing sends each block around the ring, from the rank above its owner, and every rank
// adds its operand (the ring algorithm of Open MPI; Patarasuk and Yuan 2009). p-1 messages of one
// block each per rank. The operation must be commutative.
func ReduceScatterRing(c Comm, send, recv node.Buf, op *Op) {
	p, rank, block := c.Size(), c.Rank(), recv.Len()
	to, from := above(rank, p), below(rank, p)
	acc, in := scratch(block, recv), scratch(block, recv)
	copied(c, send.Len()) // Open MPI combines in a copy of all operands
	copy(acc.Bytes(), send.Slice(from*block, block).Bytes())
	for k := range p - 1 {
		number := (rank - 2 - k + 2*p) % p
		c.Sendrecv(acc, to, tagReduceScatter, in, from, tagReduceScatter)
		op.combine(c, in, send.Slice(number*block, block), false)
		acc, in = in, acc
	}
	move(c, recv, acc)
}

// ReduceScatterNonoverlapping reduces to rank 0 up a binomial tree, then scatters the blocks down
// one (the name is Open MPI's). There are 2(p-1) messages in total. Operands are combined in the
// order of ranks.
func ReduceScatterNonoverlapping(c Comm, send, recv node.Buf, op *Op) {
	acc := scratch(send.Len(), send)
	move(c, acc, send)
	climb(c, newTree(c, 0), acc, op, tagReduceScatter)
	dealOut(c, acc, recv, 0, tagReduceScatter)
}
