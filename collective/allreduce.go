package collective

import "fabricast/node"

// AllreduceFunc is an allreduce algorithm: recv at every rank becomes the
// combination of all ranks' send. It may assume that recv already holds a copy
// of the rank's own send buffer.
type AllreduceFunc func(c Comm, recv node.Buf, op *Op)

var allreduces = family[AllreduceFunc]{KindAllreduce, []entry[AllreduceFunc]{
	{Info{Name: RecursiveDoubling, Summary: "log2 p exchanges of the whole buffer with rank XOR 2^k"}, AllreduceRecursiveDoubling},
	{Info{Name: Ring, Summary: "reduce-scatter and allgather on a ring, 2(p-1) rounds of 1/p each", CommutativeOnly: true}, AllreduceRing},
	{Info{Name: Rabenseifner, Summary: "reduce-scatter by halving and allgather by doubling, 2 log2 p rounds"}, AllreduceRabenseifner},
}}

// Allreduce combines the send buffers of all ranks into recv at every rank. It
// accepts any number of ranks. Every rank gets bitwise the same result.
func Allreduce(c Comm, send, recv node.Buf, op *Op, a Algorithm) {
	checkLen(KindAllreduce, "receive", recv, send.Len())
	checkPair(KindAllreduce, send, recv)
	op.check(KindAllreduce, send)
	run := allreduces.pickOp(a, c.Size(), op)
	move(recv, send)
	run(allreduces.start(c, a, 0, op.Ordered()), recv, op)
}
