package allreduce

import (
	"fabricast/collective"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

// Func is an allreduce algorithm: it combines the operands of all ranks in recv at every rank.
// Before the call, recv holds the rank's own operand.
type Func func(c collective.Comm, recv node.Buf, op *collective.Op)

// Algorithms holds the allreduce algorithms.
var Algorithms = collective.NewFamily[Func](collective.TagAllreduce, collective.KindAllreduce)

// Run combines the send buffers of all ranks in recv at every rank, with algorithm a. The results
// of all ranks are bitwise equal.
func Run(c collective.Comm, send, recv node.Buf, op *collective.Op, a collective.Algorithm) {
	steps.CheckLen(collective.KindAllreduce, "receive", recv, send.Len())
	steps.CheckPair(collective.KindAllreduce, send, recv)
	steps.CheckOp(op, collective.KindAllreduce, send)
	chosen := Algorithms.ChooseOp(a, c.Size(), op)
	steps.Move(c, recv, send)
	at := collective.Start{Ordered: op.Ordered(), Bytes: send.Len(), Elem: op.ElemSize()}
	chosen.Run(chosen.Start(c, at), recv, op)
}
