package traffic

import "fabricast/topology"

// inBlocks is a pattern for hierarchies: a host sends to the host with the same index in another
// hierarchy block, the copies of the inner topology. The pattern blocks selects the other block.
type inBlocks struct {
	blocks Pattern // pattern with hierarchy blocks as hosts
	size   int32   // number of hosts per hierarchy block
}

// Destination implements Pattern.
func (b inBlocks) Destination(src int32, d *Draws) int32 {
	return b.blocks.Destination(src/b.size, d)*b.size + src%b.size
}

// newWorstBlocks returns the worst-case pattern of the outer topology of a hierarchy, in which the
// hierarchy blocks take the place of its hosts or, if it has no hosts, its routers. It ignores the
// links within hierarchy blocks.
func newWorstBlocks(s Spec, h *topology.Hierarchy) (Pattern, error) {
	if rings, ok := h.Outer().(topology.Rings); ok && !h.Hosted() {
		s.Dims = rings.Dims()
		return newTornado(s, h)
	}
	outer, err := worstBetween(s, h)
	if err != nil || hosts(h) < h.Blocks() {
		return nil, noWorst(h)
	}
	return inBlocks{outer, int32(hosts(h) / h.Blocks())}, nil
}

// worstBetween returns the worst-case pattern of the outer topology, with hierarchy blocks as
// hosts.
func worstBetween(s Spec, h *topology.Hierarchy) (Pattern, error) {
	if h.Hosted() {
		return newWorst(s, h.Outer())
	}
	if outer, ok := h.Outer().(topology.WorstInGroups); ok {
		if _, routers := outer.WorstGroup(); routers > 0 {
			return group{int32(h.Blocks()), int32(routers)}, nil
		}
	}
	return nil, noWorst(h)
}

// noWorst returns the error for a topology whose worst case is unknown.
func noWorst(t topology.Topology) error {
	return &Problem{
		Field: "name", Found: "worst on a " + t.Kind(), Expected: "a network whose worst case is known",
		Hint: "take a permutation from a file: {name: permutation, file: FILE}",
	}
}
