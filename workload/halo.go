package workload

import (
	"fabricast/collective"
	"fabricast/mpi"
)

// halo2d and halo3d exchange the borders of a domain that is divided into one subdomain per rank.
var (
	_ = register(130, haloProgram("halo2d", 2))
	_ = register(140, haloProgram("halo3d", 3))
)

func haloProgram(name string, dims int) Program {
	return Program{
		Name: name, MinRanks: 1,
		Summary: "every rank exchanges with both neighbours in each dimension of a periodic grid",
		Params:  []Param{sizeParam("bytes to each neighbour"), iterationsParam, gridParam(dims), byParam},

		paceable: true,
		round:    haloRound,
		loop: func(p Params) *mpi.Loop {
			round := haloRound(p)
			return repeat(p.Iterations, func(rank *mpi.Rank) { round(p.messages(rank)) })
		},
	}
}

func haloRound(p Params) func(collective.Comm) {
	size, grid := int(p.Size), p.Grid
	return func(c collective.Comm) { exchangeHalo(c, grid, size) }
}

// maxNeighbours is the maximum number of neighbours of a rank: two in each of three dimensions.
const maxNeighbours = 6

// exchangeHalo sends size bytes to each neighbour and receives size bytes from each, concurrently.
func exchangeHalo(c collective.Comm, grid []int, size int) {
	var places [maxNeighbours]int32
	var requests [2 * maxNeighbours]mpi.Request
	near := neighbours(places[:0], c.Rank(), grid)
	buf, n := mpi.Size(size), len(near)
	for i, from := range near {
		requests[i] = c.Irecv(buf, int(from), i)
	}
	for i, to := range near {
		// A message to the previous rank arrives as one from the next rank, so the tags 2d and 2d+1
		// are swapped.
		requests[n+i] = c.Isend(buf, int(to), i^1)
	}
	c.WaitAll(requests[:2*n])
}
