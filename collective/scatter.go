package collective

import "fabricast/node"

// ScatterFunc is a scatter algorithm: recv at rank r becomes block r of the
// root's send buffer.
type ScatterFunc func(c Comm, send, recv node.Buf, root int)

var scatters = family[ScatterFunc]{KindScatter, []entry[ScatterFunc]{
	{Info{Name: Binomial, Summary: "down a binomial tree, subtrees in one message"}, ScatterBinomial},
}}

// Scatter deals out the root's send buffer, Size blocks, in the order of ranks;
// other ranks' send is not used. All recv buffers have the same length.
func Scatter(c Comm, send, recv node.Buf, root int, a Algorithm) {
	checkRoot(KindScatter, c, root)
	if c.Rank() == root {
		checkLen(KindScatter, "send", send, recv.Len()*c.Size())
		checkPair(KindScatter, send, recv)
	}
	scatters.pick(a, c.Size())(scatters.start(c, a, root, false), send, recv, root)
}

// ScatterBinomial scatters down a binomial tree (Thakur, Rabenseifner and Gropp
// 2005). p-1 messages in all, ceil(log2 p) on the longest way; a rank receives
// the blocks of its whole subtree in one message and passes the largest
// subtrees on first.
func ScatterBinomial(c Comm, send, recv node.Buf, root int) {
	t, block := newTree(c, root), recv.Len()
	held := scratch((t.end(t.rel, t.span)-t.rel)*block, recv)
	if t.rel == 0 {
		rotate(held, send, t.p, (t.p-root)%t.p, block)
	} else {
		c.Recv(held, t.rank(t.rel-t.span), tagScatter)
	}
	for d := t.span >> 1; d > 0; d >>= 1 {
		if child := t.rel + d; child < t.p {
			n := t.end(child, d) - child
			c.Send(held.Slice(d*block, n*block), t.rank(child), tagScatter)
		}
	}
	move(recv, held.Slice(0, block))
}
