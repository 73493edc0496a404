package steps

import (
	"fabricast/collective"
	"fabricast/node"
)

// Piece is what a rank gives and takes in a segment of a collective that switches carry out.
type Piece struct {
	Give, Take node.Buf
	Wanted     bool // the rank takes the result
}

// Through carries out a collective of n segments in the switches. piece returns what the rank gives and
// takes in one. A single rank does nothing.
func Through(c collective.Comm, t *collective.Trees, n, tag int, op *collective.Op, piece func(i int) Piece) {
	if c.Size() == 1 {
		return
	}
	x := c.(collective.Contributor)
	open := make([]node.Request, 2*min(n, t.Window*t.Lanes))
	for i := range n {
		pair := open[2*i%len(open):][:2]
		if 2*i >= len(open) {
			c.WaitAll(pair)
		}
		p := piece(i)
		lane := i % t.Lanes
		s := collective.Segment{Code: t.Code + lane, Lane: lane, Number: i, Member: c.Rank(), Wanted: p.Wanted}
		if p.Give.HasData() {
			s.Op = op
		}
		pair[0] = x.Collect(p.Take, s, tag)
		pair[1] = x.Contribute(p.Give, s, tag)
	}
	for i := max(0, n-len(open)/2); i < n; i++ {
		c.WaitAll(open[2*i%len(open):][:2])
	}
}

// TreesOf returns how the ranks of a communicator use the switches. It panics if they cannot.
func TreesOf(c collective.Comm, kind collective.Kind, need collective.Need) *collective.Trees {
	l := collective.LayoutOf(c)
	l.Require(kind, collective.InNetwork, need)
	return l.Trees
}

// Combined reports whether the switches reduce a buffer: of several ranks, by an operation that they
// know, and with elements that fit into a segment.
func Combined(c collective.Comm, t *collective.Trees, b node.Buf, op *collective.Op) bool {
	return c.Size() > 1 && !t.Full && op.ElemSize() <= t.Payload && (!b.HasData() || b.Len() == 0 || c.(collective.Contributor).Combines(op))
}
