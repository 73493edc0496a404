package collective

import "fabricast/node"

// BroadcastFunc is a broadcast algorithm: it copies the root's buf to buf at every rank.
type BroadcastFunc func(c Comm, buf node.Buf, root int)

var broadcasts = family[BroadcastFunc]{kind: KindBroadcast}

// Broadcast copies the root's buffer to every rank. All ranks must pass the same root and buffers
// of the same length.
func Broadcast(c Comm, buf node.Buf, root int, a Algorithm) {
	checkRoot(KindBroadcast, c, root)
	broadcasts.pick(a, c.Size())(broadcasts.startSized(c, a, Start{Root: root, Bytes: buf.Len()}), buf, root)
}

var _ = broadcasts.registerWith(10, Info{
	Name: Binomial, Stackless: true, Summary: "the message down a binomial tree, the farthest first",
	Options: []Option{segmentOption(0)},
}, func(v values) BroadcastFunc { return broadcastBinomial(v[0]) })

// BroadcastBinomial sends the message down a binomial tree. A rank forwards it to its subtrees of
// 2^k ranks, the largest first. There are p-1 messages in total, ceil(log2 p) of them on the
// longest path. A message is not divided.
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

var _ = broadcasts.register(20, Info{
	Name: ScatterAllgather, Summary: "scatter down a binomial tree, then allgather on a ring",
}, BroadcastScatterAllgather)

// BroadcastScatterAllgather is van de Geijn's algorithm for long messages (Barnett et al. 1994).
// The message is divided into p chunks, which are scattered down a binomial tree and then collected
// by all ranks on a ring. The scatter takes p-1 messages, the allgather p(p-1) messages of one
// chunk. Each rank receives at most about twice the message's size, and no rank sends the message
// log p times.
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

// scatterChunks sends chunk i to the rank i above the root, down a binomial tree.
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

// chunks returns the part of a buffer that holds chunks lo to hi-1 of p. All chunks have the same
// size, except that the last ones may be shorter or empty.
func chunks(buf node.Buf, p, lo, hi int) node.Buf {
	chunk := (buf.Len() + p - 1) / p
	return part(buf, min(lo*chunk, buf.Len()), min(hi*chunk, buf.Len()))
}
