package traffic

import "fabricast/topology"

var _ = register(110, Kind{
	Name: "worst", Summary: "the known worst case of the topology under minimal routing",
	Destination: "the known worst case for minimal routing: [below](#worst-cases)",
	Source:      "Kim et al. 2007, 2008; others below",
	build:       newWorst,
})

// newWorst returns the worst known pattern for minimal routing: the pattern that the topology
// defines (topology.WorstInGroups, topology.WorstPermuted), or tornado on a torus or mesh (Dally
// and Towles 2004). For hierarchies, see newWorstBlocks.
func newWorst(s Spec, t topology.Topology) (Pattern, error) {
	switch n := t.(type) {
	case topology.WorstInGroups:
		s.Block, _ = n.WorstGroup()
		return newGroup(s, t)
	case topology.WorstPermuted:
		return table(n.WorstPermutation()), nil
	case topology.Rings:
		return newTornado(s, t)
	case *topology.Hierarchy:
		return newWorstBlocks(s, n)
	}
	return nil, noWorst(t)
}
