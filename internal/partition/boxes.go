package partition

import (
	"math"

	"fabricast/topology"
)

// boxes bisects the network recursively. Each bisection is across the dimension in which the least
// traffic, assuming random source and destination nodes, crosses from one side to the other.
func boxes(t topology.Topology, blocks int) []int32 {
	g := t.Graph()
	b := &boxer{graph: g, list: make([]int32, g.Routers), half: make([]uint8, g.Routers)}
	all := make([]int32, g.Routers)
	for r := range all {
		all[r] = int32(r)
		b.coords = append(b.coords, topology.Coordinates(t, r, nil))
	}
	for d := range b.coords[0] {
		b.load = append(b.load, b.loadOf(d))
	}
	b.halve(all, 0, blocks)
	return b.list
}

type boxer struct {
	graph  *topology.Graph
	coords [][]int   // by router
	load   []float64 // by dimension: load of each of its links, in any unit
	list   []int32   // block of each router
	half   []uint8   // by router: 1 or 2 is its side in the bisection being evaluated; 0: not in it
}

// loadOf returns the load of a link of the given dimension under traffic between random nodes: the
// sum of the distances from the first router to all others of its row, divided by the number of
// links of the row's routers. In a row without a wraparound link, distances from an end router are
// larger than from the others, but equally so in every dimension.
func (b *boxer) loadOf(dimension int) float64 {
	distance := map[int32]int{0: 0}
	links, sum := 0, 0
	for list := []int32{0}; len(list) > 0; list = list[1:] {
		sum += distance[list[0]]
		eachNeighbour(b.graph, list[0], func(peer int32) {
			if b.between(list[0], peer) != dimension {
				return
			}
			links++
			if _, seen := distance[peer]; !seen {
				distance[peer] = distance[list[0]] + 1
				list = append(list, peer)
			}
		})
	}
	return float64(sum) / float64(max(links, 1))
}

// between returns the dimension of the link between two routers; -1 if they have equal coordinates.
func (b *boxer) between(router, peer int32) int {
	for d, c := range b.coords[router] {
		if b.coords[peer][d] != c {
			return d
		}
	}
	return -1
}

// halve divides routers into the given number of blocks, numbered from first.
func (b *boxer) halve(routers []int32, first, blocks int) {
	if blocks == 1 {
		for _, r := range routers {
			b.list[r] = int32(first)
		}
		return
	}
	left := blocks / 2
	var best []int32
	bestAt, longest, least := 0, 0, math.Inf(1)
	for d := range b.coords[routers[0]] {
		sorted, length := b.along(routers, d)
		at := b.middle(sorted, left, blocks)
		cut := b.cut(sorted, at)
		// Of equal cuts the longest dimension is best, and of those the last one, because its slabs
		// have consecutive router IDs.
		const same = 1e-9
		if cut < least*(1-same) || cut <= least*(1+same) && length >= longest {
			best, bestAt, longest, least = sorted, at, length, cut
		}
	}
	b.halve(best[:bestAt], first, left)
	b.halve(best[bestAt:], first+left, blocks-left)
}

// along returns the routers sorted by their coordinate in the given dimension, and the number of
// coordinates that they span.
func (b *boxer) along(routers []int32, dimension int) (sorted []int32, length int) {
	least, greatest := math.MaxInt, 0
	for _, r := range routers {
		c := b.coords[r][dimension]
		least, greatest = min(least, c), max(greatest, c)
	}
	begin := make([]int, greatest-least+2)
	for _, r := range routers {
		begin[b.coords[r][dimension]-least+1]++
	}
	for c := 1; c < len(begin); c++ {
		begin[c] += begin[c-1]
	}
	sorted = make([]int32, len(routers))
	for _, r := range routers {
		place := &begin[b.coords[r][dimension]-least]
		sorted[*place] = r
		*place++
	}
	return sorted, greatest - least + 1
}

// middle returns the number of routers, from the first, whose weight is about left/blocks of the
// total. Each block gets at least one router.
func (b *boxer) middle(routers []int32, left, blocks int) (at int) {
	total := int64(0)
	for _, r := range routers {
		total += weight(b.graph, r)
	}
	sum := int64(0)
	for at < len(routers)-(blocks-left) && (at < left || sum*int64(blocks) < total*int64(left)) {
		sum += weight(b.graph, routers[at])
		at++
	}
	return at
}

// cut returns the total load of the links from routers[:at] to routers[at:].
func (b *boxer) cut(routers []int32, at int) (carried float64) {
	for i, r := range routers {
		b.half[r] = 1
		if i >= at {
			b.half[r] = 2
		}
	}
	for _, r := range routers[:at] {
		eachNeighbour(b.graph, r, func(peer int32) {
			if b.half[peer] == 2 {
				carried += b.load[b.between(r, peer)]
			}
		})
	}
	for _, r := range routers {
		b.half[r] = 0
	}
	return carried
}
