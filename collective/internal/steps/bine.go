package steps

import (
	"fabricast/collective"
	"fabricast/collective/internal/partners"
	"fabricast/node"
)

// bineChild is a subtree of a Bine tree whose chunks travel in one message.
type bineChild struct {
	rank   int
	places []int32 // ranks whose chunks they are
}

// bineFamily returns the subtrees of the calling rank in the Bine tree with the given root, the
// farthest first, the rank's parent (-1 at the root), and the ranks of its own subtree.
func bineFamily(c collective.Comm, root int) (children []bineChild, parent int, own []int32) {
	p := c.Size()
	t := partners.BineTreeOf(p)
	ranks := func(place int) []int32 {
		list := t.Below(place)
		for i := range list {
			list[i] = int32((int(list[i]) + root) % p)
		}
		return list
	}
	me := (c.Rank() - root + p) % p
	s := t.Shape(me)
	for _, place := range s.Children {
		children = append(children, bineChild{(place + root) % p, ranks(place)})
	}
	if parent = s.Parent; parent >= 0 {
		parent = (parent + root) % p
	}
	return children, parent, ranks(me)
}

// BineScatter sends the chunks of the root's buffer down a Bine tree. Afterwards, a rank has the
// chunks of its subtree in their places. chunk returns where the chunk of a rank is.
func BineScatter(c collective.Comm, root int, buf node.Buf, chunk func(rank int) (at, n int), tag int) {
	children, parent, own := bineFamily(c, root)
	l := Lane{Chunk: chunk}
	if parent >= 0 {
		in := l.parcel(buf, own)
		c.Recv(in.buf, parent, tag)
		l.unpack(c, buf, &in)
	}
	requests := make([]node.Request, 0, len(children))
	for _, child := range children {
		requests = append(requests, c.Isend(l.pack(c, buf, child.places), child.rank, tag))
	}
	c.WaitAll(requests)
}

// BineGather is the reverse of BineScatter: chunks travel to the root.
func BineGather(c collective.Comm, root int, buf node.Buf, chunk func(rank int) (at, n int), tag int) {
	children, parent, own := bineFamily(c, root)
	l := Lane{Chunk: chunk}
	for i := len(children) - 1; i >= 0; i-- {
		in := l.parcel(buf, children[i].places)
		c.Recv(in.buf, children[i].rank, tag)
		l.unpack(c, buf, &in)
	}
	if parent >= 0 {
		c.Send(l.pack(c, buf, own), parent, tag)
	}
}
