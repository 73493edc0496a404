package workload

import "fabricast/mpi"

// halo2d and halo3d exchange the borders of a domain that is cut into blocks.
var (
	halo2d = haloProgram("halo2d", 2)
	halo3d = haloProgram("halo3d", 3)
)

func haloProgram(name string, dims int) Program {
	return Program{
		Name: name, MinRanks: 1,
		Summary: "every rank exchanges with both neighbours in each dimension of a periodic grid",
		Params:  []Param{sizeParam("bytes to each neighbour"), iterationsParam, gridParam(dims)},
		main: func(p Params) func(*mpi.Rank) {
			size, n, grid := int(p.Size), p.Iterations, p.Grid
			return func(rank *mpi.Rank) {
				h := newHalo(rank.Rank(), grid)
				for range n {
					h.exchange(rank, size)
				}
			}
		},
	}
}

// halo is a rank's neighbours, below and above in turn, and its open requests.
type halo struct {
	neighbours []int
	requests   []mpi.Request
}

func newHalo(rank int, grid []int) *halo {
	n := neighbours(rank, grid)
	return &halo{neighbours: n, requests: make([]mpi.Request, 2*len(n))}
}

// exchange sends size bytes to each neighbour and receives as many from each,
// all at once.
func (h *halo) exchange(rank *mpi.Rank, size int) {
	n := len(h.neighbours)
	buf := mpi.Size(size)
	for i, from := range h.neighbours {
		h.requests[i] = rank.Irecv(buf, from, i)
	}
	for i, to := range h.neighbours {
		// What goes down arrives from above: the pair of tags is swapped.
		h.requests[n+i] = rank.Isend(buf, to, i^1)
	}
	rank.WaitAll(h.requests)
}
