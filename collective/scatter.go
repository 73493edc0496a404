package collective

import "fabricast/node"

// ScatterFunc is a scatter algorithm: it copies block r of the root's send buffer to recv at rank
// r.
type ScatterFunc func(c Comm, send, recv node.Buf, root int)

var scatters = family[ScatterFunc]{kind: KindScatter}

// Scatter distributes the root's send buffer, which holds one block for each rank, in the order of
// ranks. Other ranks' send is not used. All recv buffers must have the same length.
func Scatter(c Comm, send, recv node.Buf, root int, a Algorithm) {
	checkRoot(KindScatter, c, root)
	if c.Rank() == root {
		checkLen(KindScatter, "send", send, recv.Len()*c.Size())
		checkPair(KindScatter, send, recv)
	}
	scatters.pick(a, c.Size())(scatters.start(c, a, root, false), send, recv, root)
}

var _ = scatters.register(10, Info{
	Name: Binomial, Summary: "down a binomial tree, subtrees in one message",
}, ScatterBinomial)

// ScatterBinomial scatters down a binomial tree (Thakur, Rabenseifner and Gropp 2005). There are
// p-1 messages in total, ceil(log2 p) of them on the longest path. A rank receives the blocks of
// its whole subtree in one message and forwards them to its subtrees, the largest first.
func ScatterBinomial(c Comm, send, recv node.Buf, root int) {
	dealOut(c, send, recv, root, tagScatter)
}

// dealOut sends the blocks of the root down a binomial tree.
func dealOut(c Comm, send, recv node.Buf, root, tag int) {
	t, block := newTree(c, root), recv.Len()
	if t.rel != 0 && t.end(t.rel, t.span)-t.rel == 1 {
		c.Recv(recv, t.rank(t.rel-t.span), tag)
		return
	}
	held := scratch((t.end(t.rel, t.span)-t.rel)*block, recv)
	if t.rel == 0 {
		rotate(c, held, send, t.p, (t.p-root)%t.p, block)
	} else {
		c.Recv(held, t.rank(t.rel-t.span), tag)
	}
	for d := t.span >> 1; d > 0; d >>= 1 {
		if child := t.rel + d; child < t.p {
			n := t.end(child, d) - child
			c.Send(held.Slice(d*block, n*block), t.rank(child), tag)
		}
	}
	move(c, recv, held.Slice(0, block))
}
