package traffic

import "fabricast/topology"

var _ = register(110, Kind{
	Name: "worst", Summary: "the known worst case of the topology under minimal routing",
	Destination: "the known worst case for minimal routing: [below](#worst-cases)",
	Source:      "Kim et al. 2007, 2008; others below",
	build:       newWorst,
})

// newWorst makes the pattern that is known to be the worst for minimal routing. On a dragonfly or
// dragonfly+ each group sends to the next (Kim, Dally, Scott and Abts, ISCA 2008; Shpiner et al.,
// HiPINEB 2017). On a HyperX all hosts of a router send to those of a neighbour (Kim, Dally and
// Abts, ISCA 2007). On a torus or mesh it is tornado (Dally and Towles 2004). For Slim Flies see
// newWorstSlimFly, for trees newWorstTree, for hierarchies newWorstBlocks.
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
