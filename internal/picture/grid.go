package picture

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"fabricast/topology"
)

// grid is a layout of dimensions: the first two span a plane, the next two a plane of planes, and
// so on. If the number of dimensions is odd, the last one is laid out in rows of alternating
// direction.
type grid struct {
	dims    []int // as drawn
	step    []int // number of routers merged into a cell, by dimension
	strides []int
	pitch   []float64
	row     int     // number of cells of the last dimension in a row
	below   float64 // distance between rows
}

// placeDims lays out rings, lines, and fully connected dimensions. A single ring or fully connected
// dimension is drawn as a circle. In fully connected dimensions every link is an arc; longer links
// are higher.
func placeDims(shape topology.Grid, routers, most int) *scene {
	switch {
	case len(shape.Dims) == 1 && (shape.Wrap == nil || shape.Wrap[0]):
		return placeCircle(routers, most)
	case shape.Wrap == nil:
		return placeGrid(
			shape.Dims, most, func(a, b point) float64 { return min(1.1, 0.16*a.distance(b)) },
		)
	}
	return placeGrid(shape.Dims, most, func(point, point) float64 { return 0.4 })
}

// placeGrid lays out the planes of dimensions. Links other than those between neighbours in a plane
// are arcs: wrap-around links, longer links, and links to other planes. height returns the height
// of an arc.
func placeGrid(dims []int, most int, height func(a, b point) float64) *scene {
	g, cells := coarsen(dims, most)
	s := g.scene(cells)
	s.control = func(a, b int) (point, bool) {
		d, steps := g.apart(a, b)
		if d < 0 || d < 2 && steps == 1 {
			return point{}, false
		}
		return s.at[a].aside(s.at[b], height(s.at[a], s.at[b])), true
	}
	return s
}

// coarsen merges pairs of neighbours in the longest dimension until there are at most `most` cells.
func coarsen(dims []int, most int) (g grid, cells []int32) {
	step := make([]int, len(dims))
	g.step = step
	g.dims = append([]int(nil), dims...)
	for d := range step {
		step[d] = 1
	}
	for product(g.dims) > most {
		longest := 0
		for d, k := range g.dims {
			if k > g.dims[longest] {
				longest = d
			}
		}
		step[longest] *= 2
		g.dims[longest] = (dims[longest] + step[longest] - 1) / step[longest]
	}
	g.layOut()
	cells = make([]int32, product(dims))
	for r := range cells {
		at := r
		for d, k := range dims {
			cells[r] += int32(at % k / step[d] * g.strides[d])
			at /= k
		}
	}
	return g, cells
}

func product(list []int) int {
	n := 1
	for _, k := range list {
		n *= k
	}
	return n
}

func (g *grid) layOut() {
	stride := 1
	width := [2]float64{1, 1} // width and height of what a step contains
	for d, k := range g.dims {
		g.strides = append(g.strides, stride)
		stride *= k
		g.pitch = append(g.pitch, width[d%2])
		width[d%2] = width[d%2]*float64(k) + 0.9*float64(1+d/2)
	}
	g.fold(width[1])
}

// fold divides the last dimension into rows if the drawing would otherwise be much wider than high.
// height is the height of a row.
func (g *grid) fold(height float64) {
	last := len(g.dims) - 1
	k := g.dims[last]
	g.row = k
	if last < 2 || last%2 != 0 {
		return
	}
	g.below = height + 0.9
	const wide = 1.4 // largest ratio of width to height
	if rows := math.Sqrt(float64(k) * g.pitch[last] / (wide * g.below)); rows > 1.5 {
		pairs := math.Round(rows / 2) // an even number of rows, so that a ring ends next to its start
		g.row = int(math.Ceil(float64(k) / (2 * max(pairs, 1))))
	}
}

// place returns the column and the row of a step in a dimension. Every other row runs backward, so
// that neighbours stay together.
func (g *grid) place(d, step int) (column, row int) {
	if d < len(g.dims)-1 {
		return step, 0
	}
	column, row = step%g.row, step/g.row
	if row%2 != 0 {
		column = g.row - 1 - column
	}
	return column, row
}

// scene creates a scene with one cell for each position of the grid. Even dimensions go to the
// right, odd ones upward.
func (g *grid) scene(cells []int32) *scene {
	n := 1
	for _, k := range g.dims {
		n *= k
	}
	s := &scene{cell: cells, spacing: 1}
	for c := range n {
		var p point
		for d := range g.dims {
			column, row := g.place(d, c/g.strides[d]%g.dims[d])
			steps := float64(column)
			x := steps * g.pitch[d]
			aside := 0.0
			if d > 1 { // so that links between planes do not overlap those within a plane
				aside = 0.45 * steps
			}
			if d%2 == 0 {
				p = p.plus(point{x, aside + float64(row)*g.below})
			} else {
				p = p.plus(point{aside, -x})
			}
		}
		s.at = append(s.at, p)
	}
	s.labels = g.planes(s.at)
	return s.centered()
}

// planes labels the planes at their upper left corners, if there are more than two dimensions.
func (g *grid) planes(at []point) []label {
	if len(g.dims) < 3 || slices.Max(g.step[2:]) > 1 {
		return nil
	}
	var list []label
	top := (g.dims[1] - 1) * g.strides[1]
	for c := 0; c < len(at); c += g.strides[2] {
		var parts []string
		for d := 2; d < len(g.dims); d++ {
			parts = append(parts, fmt.Sprintf("%c %d", "xyzabcdefghi"[d], c/g.strides[d]%g.dims[d]))
		}
		list = append(list, label{at[c+top].plus(point{-0.3, -0.4}), point{0, -1}, strings.Join(parts, " ")})
	}
	return list
}

// apart returns the dimension in which two positions of the grid differ, and the difference; -1 if
// they differ in no dimension or in several.
func (g *grid) apart(a, b int) (d, steps int) {
	d = -1
	for i, k := range g.dims {
		diff := a/g.strides[i]%k - b/g.strides[i]%k
		if diff == 0 {
			continue
		}
		if d >= 0 {
			return -1, 0
		}
		d, steps = i, int(math.Abs(float64(diff)))
	}
	return d, steps
}
