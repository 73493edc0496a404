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

// maxNeighbours is how many neighbours a rank has at most: two in each of three dimensions.
const maxNeighbours = 6

// halo is a rank's neighbours, below and above in turn, and its open requests.
// Every rank keeps one as long as its program runs, so it is small and in one piece.
type halo struct {
	n          int32
	neighbours [maxNeighbours]int32
	requests   [2 * maxNeighbours]mpi.Request
}

func newHalo(rank int, grid []int) *halo {
	h := new(halo)
	for other := range neighbours(rank, grid) {
		h.neighbours[h.n] = int32(other)
		h.n++
	}
	return h
}

// exchange sends size bytes to each neighbour and receives as many from each,
// all at once.
func (h *halo) exchange(rank *mpi.Rank, size int) {
	n := int(h.n)
	buf := mpi.Size(size)
	for i, from := range h.neighbours[:n] {
		h.requests[i] = rank.Irecv(buf, int(from), i)
	}
	for i, to := range h.neighbours[:n] {
		// What goes down arrives from above: the pair of tags is swapped.
		h.requests[n+i] = rank.Isend(buf, int(to), i^1)
	}
	rank.WaitAll(h.requests[:2*n])
}
