package broadcast

import (
	"fabricast/collective"
	"fabricast/collective/internal/partners"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

// Func is a broadcast algorithm: it copies the root's buf to buf at every rank.
type Func func(c collective.Comm, buf node.Buf, root int)

// Algorithms holds the broadcast algorithms.
var Algorithms = collective.NewFamily[Func](collective.TagBroadcast, collective.KindBroadcast)

// Run copies the root's buffer to every rank, with algorithm a. All ranks must pass the same root
// and buffers of the same length.
func Run(c collective.Comm, buf node.Buf, root int, a collective.Algorithm) {
	steps.CheckRoot(collective.KindBroadcast, c, root)
	chosen := Algorithms.Choose(a, c.Size())
	chosen.Run(chosen.Start(c, collective.Start{Root: root, Bytes: buf.Len()}), buf, root)
}

var _ = Algorithms.RegisterWith(10, collective.Info{
	Name: collective.Binomial, Stackless: true, Summary: "the message down a binomial tree, the farthest first",
	Options: []collective.Option{steps.SegmentOption(0)},
}, func(v collective.Values) Func { return binomial(v[0]) })

// Binomial sends the message down a binomial tree. A rank forwards it to its subtrees of 2^k ranks,
// the largest first. There are p-1 messages in total, ceil(log2 p) of them on the longest path. The
// message is not divided.
func Binomial(c collective.Comm, buf node.Buf, root int) {
	t := partners.NewTree(c, root)
	if t.Rel != 0 {
		c.Recv(buf, t.Rank(t.Rel-t.Span), collective.TagBroadcast)
	}
	for d := t.Span >> 1; d > 0; d >>= 1 {
		if t.Rel+d < t.P {
			c.Send(buf, t.Rank(t.Rel+d), collective.TagBroadcast)
		}
	}
}

var _ = Algorithms.Register(20, collective.Info{
	Name: collective.ScatterAllgather, Summary: "scatter down a binomial tree, then allgather on a ring",
}, ScatterAllgather)

// ScatterAllgather is van de Geijn's algorithm for long messages (Barnett et al. 1994). The message
// is divided into p chunks, which are scattered down a binomial tree and then collected by all
// ranks on a ring. The scatter takes p-1 messages, and the allgather p(p-1) messages of one chunk.
// Each rank receives at most about twice the size of the message, and no rank has to send the
// message log p times.
func ScatterAllgather(c collective.Comm, buf node.Buf, root int) {
	t := partners.NewTree(c, root)
	scatterChunks(c, t, buf)
	to, from := t.Rank(t.Rel+1), t.Rank(t.Rel-1+t.P)
	for k := c.Round(0, t.P-1); k < t.P-1; k = c.Round(k+1, t.P-1) {
		have := (t.Rel - k + t.P) % t.P
		next := partners.Below(have, t.P)
		c.Sendrecv(chunks(buf, t.P, have, have+1), to, collective.TagBroadcast,
			chunks(buf, t.P, next, next+1), from, collective.TagBroadcast)
	}
}

// scatterChunks sends chunk i to the rank i above the root, down a binomial tree.
func scatterChunks(c collective.Comm, t partners.Tree, buf node.Buf) {
	if t.Rel != 0 {
		c.Recv(chunks(buf, t.P, t.Rel, t.End(t.Rel, t.Span)), t.Rank(t.Rel-t.Span), collective.TagBroadcast)
	}
	for d := t.Span >> 1; d > 0; d >>= 1 {
		if child := t.Rel + d; child < t.P {
			c.Send(chunks(buf, t.P, child, t.End(child, d)), t.Rank(child), collective.TagBroadcast)
		}
	}
}

// chunks returns the part of a buffer that holds chunks lo to hi-1 of p. All chunks have the same
// size, except that the last ones may be shorter or empty.
func chunks(buf node.Buf, p, lo, hi int) node.Buf {
	chunk := (buf.Len() + p - 1) / p
	return steps.Part(buf, min(lo*chunk, buf.Len()), min(hi*chunk, buf.Len()))
}
