package collective

import "fabricast/node"

// ReduceFunc is a reduce algorithm: recv at the root becomes the combination of
// all ranks' send.
type ReduceFunc func(c Comm, send, recv node.Buf, op *Op, root int)

var reduces = family[ReduceFunc]{KindReduce, []entry[ReduceFunc]{
	{Info{Name: Binomial, Summary: "the whole buffer up a binomial tree"}, ReduceBinomial},
}}

// Reduce combines the send buffers of all ranks into recv at the root; other
// ranks' recv is not used.
func Reduce(c Comm, send, recv node.Buf, op *Op, root int, a Algorithm) {
	checkRoot(KindReduce, c, root)
	if c.Rank() == root {
		checkLen(KindReduce, "receive", recv, send.Len())
		checkPair(KindReduce, send, recv)
	}
	op.check(KindReduce, send)
	reduces.pickOp(a, c.Size(), op)(reduces.start(c, a, root, op.Ordered()), send, recv, op, root)
}

// ReduceBinomial combines up a binomial tree (Thakur, Rabenseifner and Gropp
// 2005). p-1 messages in all, ceil(log2 p) on the longest way. An operation
// that is not commutative is combined in the order of ranks by reducing to rank
// 0, which costs one message more if the root is another.
func ReduceBinomial(c Comm, send, recv node.Buf, op *Op, root int) {
	top := root
	if op.Ordered() {
		top = 0
	}
	acc := recv
	if c.Rank() != root {
		acc = scratch(send.Len(), send)
	}
	move(acc, send)
	climb(c, newTree(c, top), acc, op)
	if top == root {
		return
	}
	switch c.Rank() {
	case top:
		c.Send(acc, root, tagReduce)
	case root:
		c.Recv(acc, top, tagReduce)
	}
}

// climb combines the subtrees of this rank into acc, the smallest first, and
// sends the outcome to the parent.
func climb(c Comm, t tree, acc node.Buf, op *Op) {
	var in node.Buf
	for d := 1; d < t.span; d <<= 1 {
		if t.rel+d >= t.p {
			break
		}
		if d == 1 {
			in = scratch(acc.Len(), acc)
		}
		c.Recv(in, t.rank(t.rel+d), tagReduce)
		op.combine(acc, in, false)
	}
	if t.rel != 0 {
		c.Send(acc, t.rank(t.rel-t.span), tagReduce)
	}
}
