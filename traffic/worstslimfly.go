package traffic

import "fabricast/topology"

// newWorstSlimFly loads links of a Slim Fly with all traffic of two routers, as in
// the worst case of Besta and Hoefler (SC 2014): the last hop from the neighbour before, and
// the first hop of its own hosts. A link is the first or the last hop of every
// shortest way that it is part of, so no permutation loads it with more.
//
// All routers are on circles of links between the two sides that never return to
// the column before, and each sends to the second next on its circle. There is no other
// way of two links, for routers in different columns of a side have one neighbour in common.
// So minimal routing accepts 1/(2p), with p hosts a router.
func newWorstSlimFly(f *topology.SlimFly) Pattern {
	p := int32(f.Hosts())
	to := make(table, hosts(f))
	for src := range int32(len(to)) {
		between := alongCircle(f, int(src/p))
		to[src] = int32(alongCircle(f, between))*p + src%p
	}
	return to
}

// alongCircle is the router after a router on its circle: in the column of the same number
// of side 1, or in the next of side 0.
func alongCircle(f *topology.SlimFly, router int) int {
	side, column, _ := f.Place(router)
	return f.Across(router, (column+side)%f.Q())
}
