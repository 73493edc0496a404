package workload

import (
	"fabricast/collective"
	"fabricast/mpi"
)

// leanmd has the communication of LeanMD, a molecular dynamics mini-application for Charm++. Space
// is divided into cells, one per rank. For each pair of neighbouring cells, the forces between
// their atoms are computed on one of the two ranks: it receives the positions of the other cell and
// returns the forces. A rank computes the pairs with 13 of its 26 neighbours (those below it), and
// the forces within its own cell.
var _ = register(160, Program{
	Name: "leanmd", MinRanks: 1,
	Summary: "molecular dynamics: positions to 13 of the 26 neighbours, computation, forces back",
	Params: []Param{
		sizeParam(
			"bytes of a cell's positions, and of the forces on its atoms",
		), iterationsParam, computeParam, gridParam(3), byParam,
	},
	paceable: true,
	round: func(p Params) func(collective.Comm) {
		return func(c collective.Comm) {
			exchangePositions(c, &p)
			exchangeForces(c, &p)
		}
	},
	loop: func(p Params) *mpi.Loop {
		compute := mpi.Duration(p.Compute)
		return repeat(p.Iterations, func(rank *mpi.Rank) {
			c := p.messages(rank)
			exchangePositions(c, &p)
			rank.Compute(compute)
			exchangeForces(c, &p)
		})
	},
})

// halfShell is half of the 26 neighbours of a cell in a three-dimensional grid.
const halfShell = 13

// exchangePositions sends the rank's positions to the neighbours above it, and receives those of
// the neighbours below.
func exchangePositions(c collective.Comm, p *Params) {
	above, below := shells(c.Rank(), p.Grid)
	exchange(c, below, above, int(p.Size))
}

// exchangeForces sends the computed forces to the neighbours below the rank, and receives those of
// the neighbours above.
func exchangeForces(c collective.Comm, p *Params) {
	above, below := shells(c.Rank(), p.Grid)
	exchange(c, above, below, int(p.Size))
}

// exchange receives a message of size bytes from each rank in from and sends one to each rank in
// to, concurrently.
func exchange(c collective.Comm, from, to shell, size int) {
	var requests [2 * halfShell]mpi.Request
	buf := mpi.Size(size)
	for i := range from.count {
		requests[i] = c.Irecv(buf, int(from.ranks[i]), i)
	}
	for i := range to.count {
		requests[from.count+i] = c.Isend(buf, int(to.ranks[i]), i)
	}
	c.WaitAll(requests[:from.count+to.count])
}

// shell lists the neighbours above or below a cell.
type shell struct {
	ranks [halfShell]int32
	count int
}

// shells returns the neighbours above the cell of a rank and, in the same order, the opposite
// neighbours below it. A neighbour is above if the last of its differing coordinates is greater by
// 1. Every dimension is periodic; in a dimension of size 1 there are no neighbours.
func shells(rank int, grid []int) (above, below shell) {
	x, y, z := rank%grid[0], rank/grid[0]%grid[1], rank/grid[0]/grid[1]
	at := func(dx, dy, dz int) int32 {
		x, y, z := (x+dx+grid[0])%grid[0], (y+dy+grid[1])%grid[1], (z+dz+grid[2])%grid[2]
		return int32(x + grid[0]*(y+grid[1]*z))
	}
	reach := func(d int) int { return min(1, grid[d]-1) }
	for dz := 0; dz <= reach(2); dz++ {
		for dy := -reach(1); dy <= reach(1); dy++ {
			for dx := -reach(0); dx <= reach(0); dx++ {
				if dz == 0 && (dy < 0 || dy == 0 && dx <= 0) {
					continue
				}
				above.ranks[above.count], below.ranks[below.count] = at(dx, dy, dz), at(-dx, -dy, -dz)
				above.count++
				below.count++
			}
		}
	}
	return above, below
}
