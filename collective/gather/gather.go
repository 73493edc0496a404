package gather

import (
	"fabricast/collective"
	"fabricast/collective/internal/partners"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

// Func is a gather algorithm: it copies the send buffer of rank s to block s of recv at the root.
type Func func(c collective.Comm, send, recv node.Buf, root int)

// Algorithms holds the gather algorithms.
var Algorithms = collective.NewFamily[Func](collective.TagGather, collective.KindGather)

// Run collects the send buffers of all ranks, in the order of ranks, in recv at the root, with
// algorithm a. It does not use recv at other ranks. All send buffers must have the same length.
func Run(c collective.Comm, send, recv node.Buf, root int, a collective.Algorithm) {
	steps.CheckRoot(collective.KindGather, c, root)
	if c.Rank() == root {
		steps.CheckLen(collective.KindGather, "receive", recv, send.Len()*c.Size())
		steps.CheckPair(collective.KindGather, send, recv)
	}
	chosen := Algorithms.Choose(a, c.Size())
	chosen.Run(chosen.Start(c, collective.Start{Root: root, Bytes: send.Len()}), send, recv, root)
}

var _ = Algorithms.Register(10, collective.Info{
	Name: collective.Binomial, Summary: "up a binomial tree, subtrees in one message",
}, Binomial)

// Binomial gathers up a binomial tree (Thakur, Rabenseifner and Gropp 2005). There are p-1
// messages in total, ceil(log2 p) of them on the longest path. A rank sends the blocks of its whole
// subtree in one message.
func Binomial(c collective.Comm, send, recv node.Buf, root int) {
	t, block := partners.NewTree(c, root), send.Len()
	held := steps.Scratch((t.End(t.Rel, t.Span)-t.Rel)*block, send)
	if t.Span > 1 && t.Rel+1 < t.P {
		steps.Move(c, held, send)
	} else {
		held = send
	}
	for d := 1; d < t.Span && t.Rel+d < t.P; d <<= 1 {
		n := t.End(t.Rel+d, d) - (t.Rel + d)
		c.Recv(held.Slice(d*block, n*block), t.Rank(t.Rel+d), collective.TagGather)
	}
	if t.Rel != 0 {
		c.Send(held, t.Rank(t.Rel-t.Span), collective.TagGather)
		return
	}
	steps.Rotate(c, recv, held, t.P, root, block)
}
