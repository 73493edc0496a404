package collective

import "fabricast/node"

var (
	_ = barriers.register(40, Info{
		Name: Tree, Summary: "up a binomial tree to rank 0, and back",
	}, BarrierTree)
	_ = barriers.register(50, Info{
		Name: DoubleRing, Summary: "a signal goes around the ring twice",
	}, BarrierDoubleRing)
	_ = barriers.register(60, Info{
		Name: Linear, Summary: "from all to rank 0, and from there to all",
	}, BarrierLinear)
)

// BarrierLinear lets every rank signal rank 0, which then signals all of them (the linear algorithm
// of Open MPI). There are 2(p-1) empty messages in total.
func BarrierLinear(c Comm) {
	p := c.Size()
	if c.Rank() != 0 {
		c.Send(node.Buf{}, 0, tagBarrier)
		c.Recv(node.Buf{}, 0, tagBarrier)
		return
	}
	requests := make([]node.Request, 0, p-1)
	for from := 1; from < p; from++ {
		requests = append(requests, c.Irecv(node.Buf{}, from, tagBarrier))
	}
	c.WaitAll(requests)
	fanOut(c, node.Buf{}, 0, tagBarrier)
}

// BarrierDoubleRing sends a signal around the ring twice (as Open MPI does). The first signal means
// that all ranks have called, the second that all may return. There are 2p empty messages, one
// after the other.
func BarrierDoubleRing(c Comm) {
	p, rank := c.Size(), c.Rank()
	if p == 1 {
		return
	}
	to, from := above(rank, p), below(rank, p)
	for range 2 {
		if rank > 0 {
			c.Recv(node.Buf{}, from, tagBarrier)
		}
		c.Send(node.Buf{}, to, tagBarrier)
		if rank == 0 {
			c.Recv(node.Buf{}, from, tagBarrier)
		}
	}
}

// BarrierTree sends signals up a binomial tree to rank 0, and back down. There are 2(p-1) empty
// messages in total.
func BarrierTree(c Comm) {
	climb(c, newTree(c, 0), node.Buf{}, nil, tagBarrier)
	down(c, node.Buf{}, binomialDown.at(c, 0), newSegments(0, 0, 1), tagBarrier)
}
