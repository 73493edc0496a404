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
	main: func(p Params) func(*mpi.Rank) {
		return func(rank *mpi.Rank) {
			h := newHalo(rank.Rank(), p.Grid)
			buf := mpi.Size(residual)
			for range p.Iterations {
				h.exchange(rank, int(p.Size))
				rank.Compute(mpi.Duration(p.Compute))
				rank.Allreduce(buf, buf, nil, collective.Algorithm(p.Algorithm))
			}
		}
	},
}
