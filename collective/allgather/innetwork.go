package allgather

import (
	"fabricast/collective"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var _ = Algorithms.Register(200, collective.Info{
	Name: collective.InNetwork, Overlaps: true, Sized: true, Needs: collective.NeedsTrees,
	Summary: "by switches, which copy: the block of each rank up an aggregation tree, and down to all others",
}, InNetwork)

// InNetwork is a multicast of the block of each rank, one after the other. Without room for a tree it is Ring.
func InNetwork(c collective.Comm, send, recv node.Buf) {
	t := steps.TreesOf(c, collective.KindAllgather, collective.NeedsTrees)
	if t.Full {
		Ring(c, send, recv)
		return
	}
	block := send.Len()
	steps.Move(c, recv.Slice(c.Rank()*block, block), send)
	s := steps.NewSegments(block, t.Payload, 1)
	n := s.Count()
	steps.Through(c, t, c.Size()*n, collective.TagAllgather, nil, func(i int) steps.Piece {
		from := i / n
		if from == c.Rank() {
			return steps.Piece{Give: s.Of(send, i%n)}
		}
		return steps.Piece{Take: s.Of(recv.Slice(from*block, block), i%n), Wanted: true}
	})
}
