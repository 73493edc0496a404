package picture

import (
	"math"

	"fabricast/topology"
)

// Places returns the position at which each router is drawn, with y downward. Neighbours are about
// 1 apart. In networks without a known shape and with more than maxCells routers, consecutive
// routers share a position.
func Places(t topology.Topology) (x, y []float32) {
	most := math.MaxInt
	if shapeless(t) {
		most = maxCells
	}
	s := placeWithin(t, most)
	x, y = make([]float32, len(s.cell)), make([]float32, len(s.cell))
	for r, c := range s.cell {
		x[r], y[r] = float32(s.at[c].x), float32(s.at[c].y)
	}
	return x, y
}

// shapeless reports whether a network, or a part of it, has no known shape.
func shapeless(t topology.Topology) bool {
	shaped, ok := t.(topology.Shaped)
	if !ok {
		return true
	}
	nest, nested := shaped.Shape().(topology.Nest)
	return nested && (shapeless(nest.Block()) || shapeless(nest.Outer()))
}
