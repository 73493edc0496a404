package topology

import "slices"

// Dimension is a dimension in which routers have coordinates, from 0 to Size - 1.
type Dimension struct {
	Name string // x, y, z, ...; for a hierarchy's blocks "block", or "block x" and so on
	Size int
}

// coordinated is a topology whose routers have coordinates.
type coordinated interface {
	Topology
	Dims() []int
	Coord(router, d int) int
}

// Dimensions returns the dimensions of a network's coordinates. A torus, mesh or HyperX has its
// own; a hierarchy has those of its outer topology, then those of its blocks; other networks have
// none.
func Dimensions(t Topology) (list []Dimension) {
	switch t := t.(type) {
	case *Hierarchy:
		if !t.Hosted() {
			list = Dimensions(t.Outer())
		}
		if full, ok := t.Block().(*Full); ok && full.Graph().Routers > 1 {
			return append(list, Dimension{"block", full.Graph().Routers})
		}
		for _, d := range Dimensions(t.Block()) {
			list = append(list, Dimension{"block " + d.Name, d.Size})
		}
	case *Full:
	case coordinated:
		for d, k := range t.Dims() {
			list = append(list, Dimension{DimensionName(d), k})
		}
	}
	return list
}

// Coordinates appends the coordinates of a router, one for each of Dimensions. For a hierarchy,
// these are the coordinates of its block in the outer topology, then those within the block; all
// are -1 for a router that is in no block.
func Coordinates(t Topology, router int, list []int) []int {
	switch t := t.(type) {
	case *Hierarchy:
		block, inner := t.Place(router)
		switch {
		case block < 0:
			return append(list, slices.Repeat([]int{-1}, len(Dimensions(t)))...)
		case !t.Hosted():
			list = Coordinates(t.Outer(), block, list)
		}
		if full, ok := t.Block().(*Full); ok && full.Graph().Routers > 1 {
			return append(list, inner)
		}
		return Coordinates(t.Block(), inner, list)
	case *Full:
	case coordinated:
		for d := range t.Dims() {
			list = append(list, t.Coord(router, d))
		}
	}
	return list
}
