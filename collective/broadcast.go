package collective

import "fabricast/node"

// BroadcastFunc is a broadcast algorithm: buf at every rank becomes what it is
// at the root.
type BroadcastFunc func(c Comm, buf node.Buf, root int)

var broadcasts = family[BroadcastFunc]{KindBroadcast, []entry[BroadcastFunc]{
	{Info{Name: Binomial, Stackless: true, Summary: "the whole message down a binomial tree"}, BroadcastBinomial},
	{Info{Name: ScatterAllgather, Summary: "scatter down a binomial tree, then allgather on a ring"}, BroadcastScatterAllgather},
}}

// Broadcast copies the root's buffer to every rank. All ranks must name the
// same root and give buffers of the same length.
func Broadcast(c Comm, buf node.Buf, root int, a Algorithm) {
	checkRoot(KindBroadcast, c, root)
	broadcasts.pick(a, c.Size())(broadcasts.start(c, a, root, false), buf, root)
}

// BroadcastBinomial sends the message down a binomial tree: a rank that has it
// passes it on to the subtrees of 2^k ranks, the largest first. p-1 messages in
// all, ceil(log2 p) on the longest way; a message travels as a whole.
func BroadcastBinomial(c Comm, buf node.Buf, root int) {
	t := newTree(c, root)
	if t.rel != 0 {
		c.Recv(buf, t.rank(t.rel-t.span), tagBroadcast)
	}
	for d := t.span >> 1; d > 0; d >>= 1 {
		if t.rel+d < t.p {
			c.Send(buf, t.rank(t.rel+d), tagBroadcast)
		}
	}
}

// BroadcastScatterAllgather is van de Geijn's algorithm for long messages
// (Barnett et al. 1994): the message is cut into p chunks, which are scattered
// down a binomial tree, and then gathered by all on a ring. p-1 messages for
// the scatter and p(p-1) of one chunk each for the allgather; each rank
// receives about twice the message's size at most, but no rank sends it log p
// times.
func BroadcastScatterAllgather(c Comm, buf node.Buf, root int) {
	t := newTree(c, root)
	scatterChunks(c, t, buf)
	to, from := t.rank(t.rel+1), t.rank(t.rel-1+t.p)
	for k := c.Round(0, t.p-1); k < t.p-1; k = c.Round(k+1, t.p-1) {
		have := (t.rel - k + t.p) % t.p
		next := below(have, t.p)
		c.Sendrecv(chunks(buf, t.p, have, have+1), to, tagBroadcast,
			chunks(buf, t.p, next, next+1), from, tagBroadcast)
	}
}

// scatterChunks leaves chunk i at the rank i above the root.
func scatterChunks(c Comm, t tree, buf node.Buf) {
	if t.rel != 0 {
		c.Recv(chunks(buf, t.p, t.rel, t.end(t.rel, t.span)), t.rank(t.rel-t.span), tagBroadcast)
	}
	for d := t.span >> 1; d > 0; d >>= 1 {
		if child := t.rel + d; child < t.p {
			c.Send(chunks(buf, t.p, child, t.end(child, d)), t.rank(child), tagBroadcast)
		}
	}
}

// chunks is the part of a buffer in p chunks that holds chunks lo to hi-1. All
// are of the same size, except that the end of the buffer may cut them short.
func chunks(buf node.Buf, p, lo, hi int) node.Buf {
	chunk := (buf.Len() + p - 1) / p
	return part(buf, min(lo*chunk, buf.Len()), min(hi*chunk, buf.Len()))
}
