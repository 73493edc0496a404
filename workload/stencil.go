package workload

import (
	"fabricast/collective"
	"fabricast/collective/allreduce"
	"fabricast/mpi"
)

// residual is the size, in bytes, of the vector that is reduced in each iteration of a stencil: one
// floating-point number.
const residual = 8

// stencil3d has the communication of an iterative solver on a three-dimensional domain.
var _ = register(150, Program{
	Name: "stencil3d", MinRanks: 1, calls: collective.KindAllreduce, bytes: residual,
	Summary: "a 3-D halo exchange, computation, and an allreduce of 8 bytes",
	Params: []Param{
		sizeParam("bytes to each neighbour"), iterationsParam, computeParam,
		gridParam(3), algorithmParam(collective.KindAllreduce), byParam,
	},
	paceable: true,
	round:    haloRound, // without the allreduce, to which pacing does not apply
	loop: func(p Params) *mpi.Loop {
		size, compute, algorithm := int(p.Size), mpi.Duration(p.Compute), collective.Algorithm(p.Algorithm)
		overlaps := collective.Overlaps(collective.KindAllreduce, algorithm)
		return &mpi.Loop{Coroutines: overlaps, Body: func(rank *mpi.Rank, i int, _ []mpi.Request) bool {
			// The two halves of a step are separate iterations of the mpi.Loop, so that resuming
			// the second half does not repeat the first half.
			if i%2 == 0 {
				exchangeHalo(p.messages(rank), p.Grid, size)
				return true
			}
			rank.Compute(compute)
			rank.Pace(nil) // Params.Pacing applies only to the halo exchange
			if p.By == ByPut {
				allreduce.Run(rank.ByPut(), mpi.Size(residual), mpi.Size(residual), nil, algorithm)
			} else {
				rank.Allreduce(mpi.Size(residual), mpi.Size(residual), nil, algorithm)
			}
			return i/2+1 < p.Iterations
		}}
	},
})
