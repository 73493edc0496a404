package collective

import "fabricast/node"

// GatherFunc is a gather algorithm: it copies rank s's send buffer to block s of recv at the root.
type GatherFunc func(c Comm, send, recv node.Buf, root int)

var gathers = family[GatherFunc]{kind: KindGather}

// Gather collects the send buffers of all ranks, in the order of ranks, in recv at the root. Other
// ranks' recv is not used. All send buffers must have the same length.
func Gather(c Comm, send, recv node.Buf, root int, a Algorithm) {
	checkRoot(KindGather, c, root)
	if c.Rank() == root {
		checkLen(KindGather, "receive", recv, send.Len()*c.Size())
		checkPair(KindGather, send, recv)
	}
	gathers.pick(a, c.Size())(
		gathers.startSized(c, a, Start{Root: root, Bytes: send.Len()}), send, recv, root,
	)
}

var _ = gathers.register(10, Info{
	Name: Binomial, Summary: "up a binomial tree, subtrees in one message",
}, GatherBinomial)

// GatherBinomial gathers up a binomial tree (Thakur, Rabenseifner and Gropp 2005). There are p-1
// messages in total, ceil(log2 p) of them on the longest path. A rank sends the blocks of its whole
// subtree in one message.
func GatherBinomial(c Comm, send, recv node.Buf, root int) {
	t, block := newTree(c, root), send.Len()
	held := scratch((t.end(t.rel, t.span)-t.rel)*block, send)
	if t.span > 1 && t.rel+1 < t.p {
		move(c, held, send)
	} else {
		held = send
	}
	for d := 1; d < t.span && t.rel+d < t.p; d <<= 1 {
		n := t.end(t.rel+d, d) - (t.rel + d)
		c.Recv(held.Slice(d*block, n*block), t.rank(t.rel+d), tagGather)
	}
	if t.rel != 0 {
		c.Send(held, t.rank(t.rel-t.span), tagGather)
		return
	}
	rotate(c, recv, held, t.p, root, block)
}
