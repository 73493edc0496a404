package reduce

import (
	"fabricast/collective"
	"fabricast/collective/internal/partners"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

// Func is a reduce algorithm: it combines the send buffers of all ranks in recv at the root.
type Func func(c collective.Comm, send, recv node.Buf, op *collective.Op, root int)

// Algorithms holds the reduce algorithms.
var Algorithms = collective.NewFamily[Func](collective.TagReduce, collective.KindReduce)

// Run combines the send buffers of all ranks in recv at the root, with algorithm a. It does not use
// recv at other ranks.
func Run(c collective.Comm, send, recv node.Buf, op *collective.Op, root int, a collective.Algorithm) {
	steps.CheckRoot(collective.KindReduce, c, root)
	if c.Rank() == root {
		steps.CheckLen(collective.KindReduce, "receive", recv, send.Len())
		steps.CheckPair(collective.KindReduce, send, recv)
	}
	steps.CheckOp(op, collective.KindReduce, send)
	at := collective.Start{Root: root, Ordered: op.Ordered(), Bytes: send.Len(), Elem: op.ElemSize()}
	chosen := Algorithms.ChooseOp(a, c.Size(), op)
	chosen.Run(chosen.Start(c, at), send, recv, op, root)
}

var _ = Algorithms.RegisterWith(10, collective.Info{
	Name: collective.Binomial, Options: []collective.Option{steps.SegmentOption(0)}, Summary: "the buffer up a binomial tree",
}, func(v collective.Values) Func { return binomial(v[0]) })

// Binomial combines operands up a binomial tree (Thakur, Rabenseifner and Gropp 2005). There are
// p-1 messages in total, ceil(log2 p) of them on the longest path. If the operation is not
// commutative, operands are reduced to rank 0 in the order of ranks; a root other than rank 0 takes
// one more message.
func Binomial(c collective.Comm, send, recv node.Buf, op *collective.Op, root int) {
	top := root
	if op.Ordered() {
		top = 0
	}
	acc := operand(c, send, recv, root)
	steps.Climb(c, partners.NewTree(c, top), acc, op, collective.TagReduce)
	handOver(c, acc, top, root)
}
