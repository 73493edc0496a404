package traffic

import "fabricast/topology"

// newWorst chooses the pattern that is known to be worst for minimal routing:
// on a dragonfly or dragonfly+ from each group to the next (Kim, Dally, Scott and Abts,
// ISCA 2008; Shpiner et al., HiPINEB 2017), on a HyperX from all hosts of a router to those
// of a neighbour (Kim, Dally and Abts, ISCA 2007), on a torus or mesh tornado (Dally and Towles
// 2004), on a Slim Fly newWorstSlimFly, on trees newWorstTree, on hierarchies newWorstBlocks.
func newWorst(s Spec, t topology.Topology) (Pattern, error) {
	switch n := t.(type) {
	case *topology.Dragonfly:
		s.Block = n.Hosts() * n.GroupSize()
		return newGroup(s, t)
	case *topology.DragonflyPlus:
		s.Block = n.Hosts() * n.Leaves()
		return newGroup(s, t)
	case *topology.SlimFly:
		return newWorstSlimFly(n), nil
	case *topology.XGFT:
		return newWorstTree(n), nil
	case interface {
		Hosts() int
		Width(d int) int
	}: // HyperX, and the fully connected network as one of them
		s.Block = n.Hosts()
		return newGroup(s, t)
	case *topology.Torus:
		return newTornado(s, t)
	case *topology.Hierarchy:
		return newWorstBlocks(s, n)
	}
	return nil, noWorst(t)
}
