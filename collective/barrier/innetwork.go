package barrier

import (
	"fabricast/collective"
	"fabricast/collective/internal/steps"
)

var _ = Algorithms.Register(200, collective.Info{
	Name: collective.InNetwork, Overlaps: true, Needs: collective.NeedsTrees,
	Summary: "by switches: up an aggregation tree, and down again",
}, InNetwork)

// InNetwork is the barrier of switches (Graham et al., Scalable hierarchical aggregation protocol,
// COM-HPC 2016): an empty packet of each rank up a tree, and one down. Without room for a tree it is
// Dissemination.
func InNetwork(c collective.Comm) {
	t := steps.TreesOf(c, collective.KindBarrier, collective.NeedsTrees)
	if t.Full {
		Dissemination(c)
		return
	}
	steps.Through(c, t, 1, collective.TagBarrier, nil, func(int) steps.Piece { return steps.Piece{} })
}
