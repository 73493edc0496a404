package collective

import "fabricast/node"

// down sends a buffer down a tree, piece by piece. A rank passes a piece on to all its children at
// once while it receives the next one.
func down(c Comm, buf node.Buf, t shape, s segments, tag int) {
	sends := make([]node.Request, len(t.children))
	arrive(c, buf, t, s, tag, func(piece node.Buf) {
		for k, child := range t.children {
			sends[k] = c.Isend(piece, child, tag)
		}
		c.WaitAll(sends)
	})
}

// downInTurn is down, but a rank passes a piece on to one child after the other.
func downInTurn(c Comm, buf node.Buf, t shape, s segments, tag int) {
	arrive(c, buf, t, s, tag, func(piece node.Buf) {
		for _, child := range t.children {
			c.Send(piece, child, tag)
		}
	})
}

// arrive receives a buffer from the parent in a tree, piece by piece, and calls passOn with each piece
// while the next one is under way. The root has all pieces.
func arrive(c Comm, buf node.Buf, t shape, s segments, tag int, passOn func(piece node.Buf)) {
	var receives [2]node.Request
	if t.parent >= 0 {
		receives[0] = c.Irecv(s.of(buf, 0), t.parent, tag)
	}
	n := s.count()
	for i := range n {
		if t.parent >= 0 {
			if i+1 < n {
				receives[(i+1)%2] = c.Irecv(s.of(buf, i+1), t.parent, tag)
			}
			c.Wait(receives[i%2])
		}
		passOn(s.of(buf, i))
	}
}
