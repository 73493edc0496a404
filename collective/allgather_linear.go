package collective

import "fabricast/node"

var _ = allgathers.register(50, Info{
	Name: Linear, Summary: "gather at rank 0, one after the other, then broadcast down a binomial tree",
}, AllgatherLinear)

// AllgatherLinear gathers all blocks at rank 0, one after the other, and broadcasts them down a
// binomial tree (the linear algorithm of Open MPI). There are 2(p-1) messages in total.
func AllgatherLinear(c Comm, send, recv node.Buf) {
	collectBlocks(c, send, recv, 0, tagAllgather)
	down(c, recv, binomialDown.at(c, 0), newSegments(recv.Len(), 0, 1), tagAllgather)
}
