package workload

import "fabricast/mpi"

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
	Params: []Param{sizeParam("bytes of each message"), iterationsParam, seedParam},
	main: func(p Params) func(*mpi.Rank) {
		buf, n := mpi.Size(int(p.Size)), p.Iterations
		return func(rank *mpi.Rank) {
			order := newCycle(rank.Size(), p.Seed, 0)
			before, after := order.around(rank.Rank())
			exchangeBoth(rank, buf, n, before, after)
		}
	},
}

// exchangeBoth sends to both neighbours and receives from both, n times.
func exchangeBoth(rank *mpi.Rank, buf mpi.Buf, n, before, after int) {
	requests := make([]mpi.Request, 4)
	for range n {
		requests[0] = rank.Irecv(buf, before, upward)
		requests[1] = rank.Irecv(buf, after, downward)
		requests[2] = rank.Isend(buf, before, downward)
		requests[3] = rank.Isend(buf, after, upward)
		rank.WaitAll(requests)
	}
}
