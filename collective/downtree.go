package collective

import "fabricast/node"

// down sends a buffer down a tree, piece by piece. A rank passes a piece on to all its children
// while it receives the next one.
func down(c Comm, buf node.Buf, t shape, s segments, tag int) {
	sends := make([]node.Request, len(t.children))
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
		for k, child := range t.children {
			sends[k] = c.Isend(s.of(buf, i), child, tag)
		}
		c.WaitAll(sends)
	}
}
