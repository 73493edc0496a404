package steps

import (
	"fabricast/collective"
	"fabricast/collective/internal/partners"
	"fabricast/node"
)

// Down sends a buffer down a tree, piece by piece. A rank sends a piece to all of its children at
// once while it receives the next piece.
func Down(c collective.Comm, buf node.Buf, t partners.Shape, s Segments, tag int) {
	sends := make([]node.Request, len(t.Children))
	arrive(c, buf, t, s, tag, func(piece node.Buf) {
		for k, child := range t.Children {
			sends[k] = c.Isend(piece, child, tag)
		}
		c.WaitAll(sends)
	})
}

// DownInTurn is like Down, but a rank sends a piece to one child after another.
func DownInTurn(c collective.Comm, buf node.Buf, t partners.Shape, s Segments, tag int) {
	arrive(c, buf, t, s, tag, func(piece node.Buf) {
		for _, child := range t.Children {
			c.Send(piece, child, tag)
		}
	})
}

// arrive receives a buffer from the parent in a tree, piece by piece. It calls passOn with each
// piece while the next piece is being received. At the root, all pieces are there from the start.
func arrive(c collective.Comm, buf node.Buf, t partners.Shape, s Segments, tag int, passOn func(piece node.Buf)) {
	var receives [2]node.Request
	if t.Parent >= 0 {
		receives[0] = c.Irecv(s.Of(buf, 0), t.Parent, tag)
	}
	n := s.Count()
	for i := range n {
		if t.Parent >= 0 {
			if i+1 < n {
				receives[(i+1)%2] = c.Irecv(s.Of(buf, i+1), t.Parent, tag)
			}
			c.Wait(receives[i%2])
		}
		passOn(s.Of(buf, i))
	}
}

// DealOut sends each rank its block of the root's buffer, down a binomial tree.
func DealOut(c collective.Comm, send, recv node.Buf, root, tag int) {
	t, block := partners.NewTree(c, root), recv.Len()
	if t.Rel != 0 && t.End(t.Rel, t.Span)-t.Rel == 1 {
		c.Recv(recv, t.Rank(t.Rel-t.Span), tag)
		return
	}
	held := Scratch((t.End(t.Rel, t.Span)-t.Rel)*block, recv)
	if t.Rel == 0 {
		Rotate(c, held, send, t.P, (t.P-root)%t.P, block)
	} else {
		c.Recv(held, t.Rank(t.Rel-t.Span), tag)
	}
	for d := t.Span >> 1; d > 0; d >>= 1 {
		if child := t.Rel + d; child < t.P {
			n := t.End(child, d) - child
			c.Send(held.Slice(d*block, n*block), t.Rank(child), tag)
		}
	}
	Move(c, recv, held.Slice(0, block))
}
