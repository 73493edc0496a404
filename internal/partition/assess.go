package partition

import "fabricast/topology"

// Assess measures the partition in list, which gives the block of each router. cut is the number of
// links between different blocks, counting each direction. balance is the mean block weight divided
// by the maximum. neighbours is the maximum number of other blocks to which one block has links.
// demand is the expected load of each output, as in ByGraph.
func Assess(
	g *topology.Graph, demand []float64, list []int32, blocks int,
) (cut int, balance float64, neighbours int) {
	weights, total, most := make([]int64, blocks), int64(0), int64(0)
	of := scaleOf(g, demand)
	others := make([]map[int32]bool, blocks)
	for b := range others {
		others[b] = map[int32]bool{}
	}
	for r := range int32(len(list)) {
		w := of.router(r)
		weights[list[r]] += w
		total += w
		most = max(most, weights[list[r]])
		eachNeighbour(g, r, func(peer int32) {
			if list[peer] != list[r] {
				cut++
				others[list[r]][list[peer]] = true
			}
		})
	}
	for _, of := range others {
		neighbours = max(neighbours, len(of))
	}
	return cut, float64(total) / float64(most) / float64(blocks), neighbours
}
