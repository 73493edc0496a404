package barrier

import (
	"fabricast/collective"
	"fabricast/collective/internal/partners"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var (
	_ = Algorithms.Register(40, collective.Info{
		Name: collective.Tree, Summary: "up a binomial tree to rank 0, and back",
	}, Tree)
	_ = Algorithms.Register(50, collective.Info{
		Name: collective.DoubleRing, Summary: "a signal goes around the ring twice",
	}, DoubleRing)
	_ = Algorithms.Register(60, collective.Info{
		Name: collective.Linear, Summary: "from all to rank 0, and from there to all",
	}, Linear)
)

// Linear makes every rank signal rank 0, which then signals all of them (the linear algorithm of
// Open MPI). There are 2(p-1) empty messages in total.
func Linear(c collective.Comm) {
	p := c.Size()
	if c.Rank() != 0 {
		c.Send(node.Buf{}, 0, collective.TagBarrier)
		c.Recv(node.Buf{}, 0, collective.TagBarrier)
		return
	}
	requests := make([]node.Request, 0, p-1)
	for from := 1; from < p; from++ {
		requests = append(requests, c.Irecv(node.Buf{}, from, collective.TagBarrier))
	}
	c.WaitAll(requests)
	steps.FanOut(c, node.Buf{}, 0, collective.TagBarrier)
}

// DoubleRing sends a signal around the ring twice (as Open MPI does). The first signal means that
// all ranks have called the barrier, the second one that all may return. There are 2p empty
// messages, one after another.
func DoubleRing(c collective.Comm) {
	p, rank := c.Size(), c.Rank()
	if p == 1 {
		return
	}
	to, from := partners.Above(rank, p), partners.Below(rank, p)
	for range 2 {
		if rank > 0 {
			c.Recv(node.Buf{}, from, collective.TagBarrier)
		}
		c.Send(node.Buf{}, to, collective.TagBarrier)
		if rank == 0 {
			c.Recv(node.Buf{}, from, collective.TagBarrier)
		}
	}
}

// Tree sends signals up a binomial tree to rank 0, and back down. There are 2(p-1) empty
// messages in total.
func Tree(c collective.Comm) {
	steps.Climb(c, partners.NewTree(c, 0), node.Buf{}, nil, collective.TagBarrier)
	steps.Down(c, node.Buf{}, partners.BinomialDown.At(c, 0), steps.NewSegments(0, 0, 1), collective.TagBarrier)
}
