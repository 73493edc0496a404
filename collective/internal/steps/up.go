package steps

import (
	"fabricast/collective"
	"fabricast/collective/internal/partners"
	"fabricast/node"
)

// Up combines operands up a tree, piece by piece. A rank combines the pieces that its children send
// into acc, one child after another, and sends each complete piece to its parent. lower means that
// the ranks of the children's operands are lower than those of acc; otherwise they are higher.
func Up(c collective.Comm, acc node.Buf, op *collective.Op, t partners.Shape, s Segments, lower bool, tag int) {
	fan, pieces := len(t.Children), s.Count()
	var in [2]node.Buf
	for i := range min(fan*pieces, len(in)) {
		in[i] = Scratch(s.size, acc)
	}
	var receives [2]node.Request
	post := func(k int) {
		if k < fan*pieces {
			piece := s.Of(acc, k/fan)
			receives[k%2] = c.Irecv(in[k%2].Slice(0, piece.Len()), t.Children[k%fan], tag)
		}
	}
	if fan > 0 {
		post(0)
	}
	for i := range pieces {
		piece := s.Of(acc, i)
		for k := i * fan; k < (i+1)*fan; k++ {
			post(k + 1)
			c.Wait(receives[k%2])
			Combine(c, op, piece, in[k%2].Slice(0, piece.Len()), lower)
		}
		if t.Parent >= 0 {
			c.Send(piece, t.Parent, tag)
		}
	}
}

// Climb combines the results of this rank's subtrees into acc, starting with the smallest subtree,
// and sends acc to the parent.
func Climb(c collective.Comm, t partners.Tree, acc node.Buf, op *collective.Op, tag int) {
	var in node.Buf
	for d := 1; d < t.Span; d <<= 1 {
		if t.Rel+d >= t.P {
			break
		}
		if d == 1 {
			in = Scratch(acc.Len(), acc)
		}
		c.Recv(in, t.Rank(t.Rel+d), tag)
		Combine(c, op, acc, in, false)
	}
	if t.Rel != 0 {
		c.Send(acc, t.Rank(t.Rel-t.Span), tag)
	}
}
