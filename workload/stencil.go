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
		s := &stencil{p.Iterations, int(p.Size), mpi.Duration(p.Compute), p.Grid, collective.Algorithm(p.Algorithm)}
		return s.run
	},
}

// stencil is what all ranks have in common.
type stencil struct {
	iterations int
	size       int // bytes to each neighbour
	compute    mpi.Duration
	grid       []int
	algorithm  collective.Algorithm
}

func (s *stencil) run(rank *mpi.Rank) {
	h := newHalo(rank.Rank(), s.grid)
	for range s.iterations {
		h.exchange(rank, s.size)
		rank.Compute(s.compute)
		rank.Allreduce(mpi.Size(residual), mpi.Size(residual), nil, s.algorithm)
	}
}
