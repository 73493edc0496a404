package topology

// WorstPermutation returns a permutation that loads links of a Slim Fly with all the traffic of two
// routers, as in the worst case of Besta and Hoefler (SC 2014): a link carries the last hop of the
// traffic from one router and the first hop of the traffic from its own router's hosts. A link is
// the first or the last hop of every shortest path that contains it, so no permutation loads a link
// more.
//
// All routers lie on cycles of links between the two sides that never return to the previous
// column. Each router sends to the router two positions ahead on its cycle. There is no other path
// of two links, because routers in different columns of a side have only one common neighbour. So
// minimal routing accepts a load of 1/(2p), with p hosts per router. It implements WorstPermuted.
func (f *SlimFly) WorstPermutation() []int32 {
	p := int32(f.hosts)
	to := make([]int32, f.graph.Hosts)
	for src := range int32(len(to)) {
		between := f.alongCircle(int(src / p))
		to[src] = int32(f.alongCircle(between))*p + src%p
	}
	return to
}

// alongCircle returns the next router on a router's cycle: from side 0, in the column with the same
// index on side 1; from side 1, in the next column of side 0.
func (f *SlimFly) alongCircle(router int) int {
	side, column, _ := f.Place(router)
	return f.Across(router, (column+side)%f.q)
}
