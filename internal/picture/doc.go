// Package picture draws networks as SVG: tori as planes, trees in levels, groups
// in a circle, hierarchies nested, and networks without a known shape so that
// neighbours are near. Where there are too many routers to draw, neighbouring
// ones become one.
//
// This file chooses how a kind of topology is laid out; there is one file for each
// manner of doing so. svg.go draws what was laid out.
package picture

import (
	"math"

	"fabricast/topology"
)

// point is a place in the picture, y downward. Neighbouring cells are about 1 apart.
type point struct{ x, y float64 }

func (p point) plus(q point) point    { return point{p.x + q.x, p.y + q.y} }
func (p point) times(f float64) point { return point{p.x * f, p.y * f} }
func between(a, b point) point        { return a.plus(b).times(0.5) }
func onCircle(radius, turns float64) point {
	return point{radius * math.Sin(2*math.Pi*turns), -radius * math.Cos(2*math.Pi*turns)}
}
func (p point) distance(q point) float64 { return math.Hypot(p.x-q.x, p.y-q.y) }
func (p point) aside(q point, d float64) point { // d to the side of the middle between two points
	m, l := between(p, q), p.distance(q)
	if l == 0 {
		return m
	}
	return m.plus(point{(q.y - p.y) / l * d, (p.x - q.x) / l * d})
}

// frame is a shape behind the routers: what belongs together.
type frame struct {
	center point
	radius float64
}

// scene is a network laid out.
type scene struct {
	at     []point // by cell
	cell   []int32 // of each router
	frames []frame
	// control is the point toward which the link between two cells is bent; ok is
	// false if it is straight. Nil: all are straight.
	control func(a, b int) (at point, ok bool)
	below   bool // hosts hang below their routers, as in trees; else they stand around them
	spacing float64
}

// maxCells is the most cells that are drawn.
const maxCells = 1500

// place lays a network out, with so few cells that they can be told apart.
func place(t topology.Topology) *scene {
	for most := maxCells; ; most /= 2 {
		s := placeWithin(t, most)
		low, high := s.bounds()
		if max(high.x-low.x, high.y-low.y) <= across/distinct || most < 16 {
			return s
		}
	}
}

func placeWithin(t topology.Topology, most int) *scene {
	switch t := t.(type) {
	case *topology.Torus:
		return placeTorus(t, most)
	case *topology.Full:
		return placeCircle(t.Graph().Routers, most)
	case *topology.HyperX:
		return placeHyperX(t, most)
	case *topology.XGFT:
		return placeTree(t, most)
	case *topology.Dragonfly:
		return placeGroups(t.Groups(), t.GroupSize(), most, nil)
	case *topology.DragonflyPlus:
		return placeGroups(t.Groups(), t.GroupSize(), most, twoRows(t.Leaves(), t.Spines()))
	case *topology.SlimFly:
		return placeGroups(t.Q(), 2*t.Q(), most, nil)
	case *topology.Hierarchy:
		return placeHierarchy(t, most)
	}
	return placeAnyhow(t, most)
}

// radius is that of the smallest circle around the origin with all cells in it.
func (s *scene) radius() float64 {
	most := 0.0
	for _, p := range s.at {
		most = max(most, math.Hypot(p.x, p.y))
	}
	return most
}

// centered moves the middle of the scene to the origin.
func (s *scene) centered() *scene {
	low, high := s.bounds()
	mid := between(low, high).times(-1)
	for i := range s.at {
		s.at[i] = s.at[i].plus(mid)
	}
	for i := range s.frames {
		s.frames[i].center = s.frames[i].center.plus(mid)
	}
	return s
}

// bounds are the corners of the smallest rectangle with all cells and frames in it.
func (s *scene) bounds() (low, high point) {
	low, high = point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}
	add := func(p point, r float64) {
		low = point{min(low.x, p.x-r), min(low.y, p.y-r)}
		high = point{max(high.x, p.x+r), max(high.y, p.y+r)}
	}
	for _, p := range s.at {
		add(p, 0)
	}
	for _, f := range s.frames {
		add(f.center, f.radius)
	}
	return low, high
}

// identity puts every router in a cell of its own.
func identity(routers int) []int32 {
	cells := make([]int32, routers)
	for r := range cells {
		cells[r] = int32(r)
	}
	return cells
}

// merged puts routers of consecutive numbers into cells of equal size.
func merged(routers, cells int) []int32 {
	list := make([]int32, routers)
	for r := range list {
		list[r] = int32(r * cells / routers)
	}
	return list
}
