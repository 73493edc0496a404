package collective

import "fabricast/node"

// AllreduceFunc is an allreduce algorithm: it combines the operands of all ranks into recv at every
// rank. Before the call, recv holds the rank's own operand.
type AllreduceFunc func(c Comm, recv node.Buf, op *Op)

var allreduces = family[AllreduceFunc]{kind: KindAllreduce}

// Allreduce combines the send buffers of all ranks into recv at every rank, for any number of
// ranks. Every rank gets bitwise the same result.
func Allreduce(c Comm, send, recv node.Buf, op *Op, a Algorithm) {
	checkLen(KindAllreduce, "receive", recv, send.Len())
	checkPair(KindAllreduce, send, recv)
	op.check(KindAllreduce, send)
	run := allreduces.pickOp(a, c.Size(), op)
	move(c, recv, send)
	at := Start{Ordered: op.Ordered(), Bytes: send.Len(), Elem: op.elem()}
	run(allreduces.startSized(c, a, at), recv, op)
}
