package main

// message is a message from one process to another.
type message struct {
	from, to int
	bytes    int64
}

// Relative numbers of particles that leave through a face and through an edge.
const (
	throughFace = 64
	throughEdge = 12
)

// messages returns all messages, ordered by sender and then by the distance of the ranks, so that
// senders start with different receivers.
func (e *exchange) messages() []message {
	grid := shape(e.ranks)
	most := int64(0)
	all := make([][]int64, e.ranks) // by sender and distance
	for rank := range all {
		all[rank] = e.leaving(rank, grid)
		for _, n := range all[rank] {
			most = max(most, n)
		}
	}
	var list []message
	for rank, leaving := range all {
		for distance, n := range leaving {
			to := (rank + distance) % e.ranks
			if n == 0 {
				continue
			}
			list = append(list, message{rank, to, n * e.largest / most})
		}
	}
	return list
}

// leaving returns the number of particles that leave a rank's part of the domain, by the distance
// (difference of ranks) to the destination rank.
func (e *exchange) leaving(rank int, grid [3]int) []int64 {
	particles := make([]int64, e.ranks)
	density := 16 + int64(e.draw(rank, -1)%49)
	at := [3]int{rank % grid[0], rank / grid[0] % grid[1], rank / grid[0] / grid[1]}
	for z := -1; z <= 1; z++ {
		for y := -1; y <= 1; y++ {
			for x := -1; x <= 1; x++ {
				share := int64(0)
				switch x*x + y*y + z*z {
				case 1:
					share = throughFace
				case 2:
					share = throughEdge
				}
				to := neighbour(at, [3]int{x, y, z}, grid)
				if share == 0 || to == rank {
					continue
				}
				spread := 512 + int64(e.draw(rank, to)%513)
				particles[(to-rank+e.ranks)%e.ranks] += share * density * spread
			}
		}
	}
	return particles
}

// neighbour returns the rank of the part at the coordinates at, moved by the vector by. The domain
// is periodic.
func neighbour(at, by, grid [3]int) int {
	for d := range at {
		at[d] = (at[d] + by[d] + grid[d]) % grid[d]
	}
	return at[0] + grid[0]*(at[1]+grid[1]*at[2])
}

// shape divides the domain into parts that are as close to cubes as the number of ranks permits. It
// returns the number of parts in each dimension.
func shape(ranks int) (grid [3]int) {
	best := 1 << 62
	for x := 1; x <= ranks; x++ {
		if ranks%x != 0 {
			continue
		}
		for y := 1; y <= x; y++ {
			z := ranks / x / y
			if ranks/x%y == 0 && z <= y && x*y+y*z+z*x < best {
				best, grid = x*y+y*z+z*x, [3]int{x, y, z}
			}
		}
	}
	return grid
}

// draw returns a random number for a pair of ranks (the output function of SplitMix64, Steele, Lea
// and Flood 2014).
func (e *exchange) draw(from, to int) uint64 {
	x := e.seed*0x9e3779b97f4a7c15 + uint64(from+1)<<32 + uint64(to+1)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
