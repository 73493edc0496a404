package workload

import "fabricast/mpi"

// ring passes messages around all ranks in their order.
var ring = Program{
	Name: "ring", Summary: "every rank sends to the next one and receives from the one before", MinRanks: 2,
	Params: []Param{sizeParam("bytes of each message"), iterationsParam, byParam},
	loop: func(p Params) *mpi.Loop {
		buf := mpi.Size(int(p.Size))
		return repeat(p.Iterations, func(rank *mpi.Rank) {
			ranks := rank.Size()
			next, before := (rank.Rank()+1)%ranks, (rank.Rank()+ranks-1)%ranks
			p.messages(rank).Sendrecv(buf, next, 0, buf, before, 0)
		})
	},
}
