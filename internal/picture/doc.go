// Package picture draws networks as SVG: tori as planes, trees in levels, groups in a circle,
// hierarchies nested, and networks without a known shape so that neighbours are close. If there are
// too many routers to draw, adjacent ones are merged into cells.
//
// This file selects the layout for the shape of a topology; each layout has its own file. svg.go
// draws the result.
package picture

import (
	"math"

	"fabricast/topology"
)

// point is a position in the drawing, with y downward. Neighbouring cells are about 1 apart.
type point struct{ x, y float64 }

func (p point) plus(q point) point    { return point{p.x + q.x, p.y + q.y} }
func (p point) times(f float64) point { return point{p.x * f, p.y * f} }
func between(a, b point) point        { return a.plus(b).times(0.5) }
func onCircle(radius, turns float64) point {
	return point{radius * math.Sin(2*math.Pi*turns), -radius * math.Cos(2*math.Pi*turns)}
}
func (p point) distance(q point) float64 { return math.Hypot(p.x-q.x, p.y-q.y) }
func (p point) aside(q point, d float64) point { // at distance d to the side of the midpoint
	m, l := between(p, q), p.distance(q)
	if l == 0 {
		return m
	}
	return m.plus(point{(q.y - p.y) / l * d, (p.x - q.x) / l * d})
}

// frame is a circle drawn behind the routers of a group or block.
type frame struct {
	center point
	radius float64
}

// label is the name of a part of the drawing: a group, a block, a plane, a level. side is the
// direction from the labelled position to the text.
type label struct {
	at, side point
	text     string
}

// scene is the layout of a network. A cell stands for one router, or several merged ones.
type scene struct {
	at     []point // by cell
	cell   []int32 // by router: its cell
	frames []frame
	framed string // what frames contain: groups or blocks
	labels []label
	// control returns the point toward which the link between two cells is bent; ok is false if the
	// link is straight. If nil, all links are straight.
	control func(a, b int) (at point, ok bool)
	below   bool // hosts are drawn below their routers, as in trees; else around them
	spacing float64
}

// maxCells is the largest number of cells that are drawn.
const maxCells = 1500

// place computes the layout of a network, with few enough cells to be distinguished.
func place(t topology.Topology) *scene {
	for most := maxCells; ; most /= 2 {
		s := placeWithin(t, most)
		low, high := s.bounds()
		if high.x-low.x <= across/distinct && high.y-low.y <= tall/distinct || most < 16 {
			return s
		}
	}
}

func placeWithin(t topology.Topology, most int) *scene {
	shaped, ok := t.(topology.Shaped)
	if !ok {
		return placeAnyhow(t, most)
	}
	switch s := shaped.Shape().(type) {
	case topology.Grid:
		return placeDims(s, t.Graph().Routers, most)
	case topology.Circle:
		return placeCircle(t.Graph().Routers, most)
	case topology.Stack:
		return placeTree(s, most)
	case topology.GroupRing:
		if s.Outer > 0 {
			return placeGroups(s.Groups, s.Size, most, twoRows(s.Outer, s.Size-s.Outer))
		}
		return placeGroups(s.Groups, s.Size, most, nil)
	case topology.Nest:
		return placeHierarchy(s.Hierarchy, most)
	}
	return placeAnyhow(t, most)
}

// radius returns the radius of the smallest circle around the origin that contains all cells.
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
	for i := range s.labels {
		s.labels[i].at = s.labels[i].at.plus(mid)
	}
	return s
}

// bounds returns the corners of the smallest rectangle that contains all cells and frames.
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

// identity assigns a cell of its own to every router.
func identity(routers int) []int32 {
	cells := make([]int32, routers)
	for r := range cells {
		cells[r] = int32(r)
	}
	return cells
}

// merged assigns consecutive routers to cells of equal size.
func merged(routers, cells int) []int32 {
	list := make([]int32, routers)
	for r := range list {
		list[r] = int32(r * cells / routers)
	}
	return list
}
