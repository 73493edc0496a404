package collective

import "fabricast/node"

// ReduceFunc is a reduce algorithm: it combines the send buffers of all ranks into recv at the
// root.
type ReduceFunc func(c Comm, send, recv node.Buf, op *Op, root int)

var reduces = family[ReduceFunc]{kind: KindReduce}

// Reduce combines the send buffers of all ranks into recv at the root. Other ranks' recv is not
// used.
func Reduce(c Comm, send, recv node.Buf, op *Op, root int, a Algorithm) {
	checkRoot(KindReduce, c, root)
	if c.Rank() == root {
		checkLen(KindReduce, "receive", recv, send.Len())
		checkPair(KindReduce, send, recv)
	}
	op.check(KindReduce, send)
	at := Start{Root: root, Ordered: op.Ordered(), Bytes: send.Len(), Elem: op.elem()}
	reduces.pickOp(a, c.Size(), op)(reduces.startSized(c, a, at), send, recv, op, root)
}

var _ = reduces.registerWith(10, Info{
	Name: Binomial, Options: []Option{segmentOption(0)}, Summary: "the buffer up a binomial tree",
}, func(v values) ReduceFunc { return reduceBinomial(v[0]) })

// ReduceBinomial combines operands up a binomial tree (Thakur, Rabenseifner and Gropp 2005). There
// are p-1 messages in total, ceil(log2 p) of them on the longest path. If the operation is not
// commutative, operands are reduced to rank 0 in the order of ranks, which takes one more message
// for another root.
func ReduceBinomial(c Comm, send, recv node.Buf, op *Op, root int) {
	top := root
	if op.Ordered() {
		top = 0
	}
	acc := operand(c, send, recv, root)
	climb(c, newTree(c, top), acc, op, tagReduce)
	handOver(c, acc, top, root)
}

// climb combines the results of this rank's subtrees into acc, the smallest subtree first, and
// sends acc to the parent.
func climb(c Comm, t tree, acc node.Buf, op *Op, tag int) {
	var in node.Buf
	for d := 1; d < t.span; d <<= 1 {
		if t.rel+d >= t.p {
			break
		}
		if d == 1 {
			in = scratch(acc.Len(), acc)
		}
		c.Recv(in, t.rank(t.rel+d), tag)
		op.combine(c, acc, in, false)
	}
	if t.rel != 0 {
		c.Send(acc, t.rank(t.rel-t.span), tag)
	}
}
