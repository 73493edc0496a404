package workload

import (
	"fabricast/collective"
	"fabricast/mpi"
)

// residual is what a stencil's iterations reduce: one floating-point number.
const residual = 8 // bytes

// stencil3d is the skeleton of an iterative solver on a three-dimensional domain.
var stencil3d = Program{
	Name: "stencil3d", MinRanks: 1,
	Summary: "a 3-D halo exchange, computation, and an allreduce of 8 bytes",
	Params: []Param{
		sizeParam("bytes to each neighbour"), iterationsParam, computeParam,
		gridParam(3), algorithmParam(collective.KindAllreduce),
	},
	loop: func(p Params) *mpi.Loop {
		size, compute, algorithm := int(p.Size), mpi.Duration(p.Compute), collective.Algorithm(p.Algorithm)
		return repeat(p.Iterations, func(rank *mpi.Rank) {
			exchangeHalo(rank, p.Grid, size)
			rank.Compute(compute)
			rank.Allreduce(mpi.Size(residual), mpi.Size(residual), nil, algorithm)
		})
	},
}
