package collective

import "fabricast/node"

// up combines operands up a tree, piece by piece: a rank combines what its children send into acc,
// child by child, and sends each piece to its parent when it is complete. The operands of children
// come before those of acc in the order of ranks if lower is set, else behind them.
func up(c Comm, acc node.Buf, op *Op, t shape, s segments, lower bool, tag int) {
	fan, pieces := len(t.children), s.count()
	var in [2]node.Buf
	for i := range min(fan*pieces, len(in)) {
		in[i] = scratch(s.size, acc)
	}
	var receives [2]node.Request
	post := func(k int) {
		if k < fan*pieces {
			piece := s.of(acc, k/fan)
			receives[k%2] = c.Irecv(in[k%2].Slice(0, piece.Len()), t.children[k%fan], tag)
		}
	}
	if fan > 0 {
		post(0)
	}
	for i := range pieces {
		piece := s.of(acc, i)
		for k := i * fan; k < (i+1)*fan; k++ {
			post(k + 1)
			c.Wait(receives[k%2])
			op.combine(c, piece, in[k%2].Slice(0, piece.Len()), lower)
		}
		if t.parent >= 0 {
			c.Send(piece, t.parent, tag)
		}
	}
}
