package broadcast

import (
	"fabricast/collective"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var _ = Algorithms.Register(200, collective.Info{
	Name: collective.InNetwork, Overlaps: true, Sized: true, Needs: collective.NeedsTrees,
	Summary: "by switches, which copy: up an aggregation tree from the root, and down to all others",
}, InNetwork)

// InNetwork is the multicast of switches. The root sends each segment up the tree, from whose root it is
// copied down. The other ranks send an empty packet up, by which the switches know that they are ready.
// Without room for a tree it is Binomial.
func InNetwork(c collective.Comm, buf node.Buf, root int) {
	t := steps.TreesOf(c, collective.KindBroadcast, collective.NeedsTrees)
	if t.Full {
		Binomial(c, buf, root)
		return
	}
	s := steps.NewSegments(buf.Len(), t.Payload, 1)
	steps.Through(c, t, s.Count(), collective.TagBroadcast, nil, func(i int) steps.Piece {
		if c.Rank() == root {
			return steps.Piece{Give: s.Of(buf, i)}
		}
		return steps.Piece{Take: s.Of(buf, i), Wanted: true}
	})
}
