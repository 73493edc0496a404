package workload

import (
	"fabricast/collective"
	"fabricast/mpi"
)

// ring sends a message from every rank to the next rank, and from the last rank to rank 0.
var _ = register(110, Program{
	Name: "ring", Summary: "every rank sends to the next one and receives from the one before", MinRanks: 2,
	Params:   []Param{sizeParam("bytes of each message"), iterationsParam, byParam},
	paceable: true,
	round:    ringRound,
	loop: func(p Params) *mpi.Loop {
		round := ringRound(p)
		return repeat(p.Iterations, func(rank *mpi.Rank) { round(p.messages(rank)) })
	},
})

func ringRound(p Params) func(collective.Comm) {
	buf := mpi.Size(int(p.Size))
	return func(c collective.Comm) {
		next, before := (c.Rank()+1)%c.Size(), (c.Rank()+c.Size()-1)%c.Size()
		c.Sendrecv(buf, next, 0, buf, before, 0)
	}
}
