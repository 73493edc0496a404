package workload

import (
	"fabricast/collective"
	"fabricast/mpi"
)

// Directions of messages on a ring.
const (
	upward = iota
	downward
)

// randomRing is the communication of the HPC Challenge suite's random ring
// benchmark (Luszczek et al. 2005): neighbours are far apart, and both
// directions are used at once.
var randomRing = Program{
	Name: "random-ring", Summary: "every rank exchanges with both neighbours on a ring of random order", MinRanks: 2,
	Params: []Param{sizeParam("bytes of each message"), iterationsParam, byParam},
	loop: func(p Params) *mpi.Loop {
		buf := mpi.Size(int(p.Size))
		return repeat(p.Iterations, func(rank *mpi.Rank) {
			order := newCycle(rank.Size(), p.Seed, 0)
			before, after := order.around(rank.Rank())
			exchangeBoth(p.messages(rank), buf, before, after)
		})
	},
}

// exchangeBoth sends to both neighbours and receives from both.
func exchangeBoth(c collective.Comm, buf mpi.Buf, before, after int) {
	requests := [...]mpi.Request{
		c.Irecv(buf, before, upward),
		c.Irecv(buf, after, downward),
		c.Isend(buf, before, downward),
		c.Isend(buf, after, upward),
	}
	c.WaitAll(requests[:])
}
