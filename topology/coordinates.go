package topology

import (
	"slices"
	"strconv"
)

// Dimension is a dimension in which routers have coordinates, from 0 to Size - 1.
type Dimension struct {
	Name string // x, y, z, ...; the blocks of a hierarchy use "block", or "block x" and so on
	Size int
}

// Dimensions returns the dimensions of a network's coordinates, or nil if it has none.
func Dimensions(t Topology) []Dimension {
	if c, ok := t.(Coordinated); ok {
		return c.Dimensions()
	}
	return nil
}

// Coordinates appends the coordinates of a router to list, one per dimension.
func Coordinates(t Topology, router int, list []int) []int {
	if c, ok := t.(Coordinated); ok {
		return c.Coordinates(router, list)
	}
	return list
}

// LinkDimension returns the dimension that the link at a router's local port runs along, or -1 if
// there is none.
func LinkDimension(t Topology, router, port int) int {
	if c, ok := t.(Coordinated); ok {
		return c.LinkDimension(router, port)
	}
	return -1
}

// level returns the level of a router, or -1 if it has none.
func level(t Topology, router int) int {
	if l, ok := t.(Leveled); ok {
		return l.Level(router)
	}
	return -1
}

// dimensions returns dimensions of the given sizes with the standard names.
func dimensions(sizes []int) (list []Dimension) {
	for d, k := range sizes {
		list = append(list, Dimension{DimensionName(d), k})
	}
	return list
}

// gridCoordinates appends the coordinates of a router in a grid of the given sizes to list.
func gridCoordinates(router int, sizes, list []int) []int {
	for _, k := range sizes {
		list = append(list, router%k)
		router /= k
	}
	return list
}

// inBlock returns t with the coordinates that it has as the block of a hierarchy.
func inBlock(t Topology) Topology {
	if b, ok := t.(InBlocks); ok {
		return b.InBlock()
	}
	return t
}

// Dimensions returns the dimensions of the outer topology followed by those of the blocks. It
// implements Coordinated.
func (h *Hierarchy) Dimensions() (list []Dimension) {
	if !h.Hosted() {
		list = slices.Clone(Dimensions(h.outer))
	}
	for _, d := range Dimensions(inBlock(h.block)) {
		if d.Name != "" {
			d.Name = " " + d.Name
		}
		list = append(list, Dimension{"block" + d.Name, d.Size})
	}
	return list
}

// Coordinates appends the coordinates of the router's block in the outer topology, followed by
// those within the block. All are -1 for a router outside the blocks. It implements Coordinated.
func (h *Hierarchy) Coordinates(router int, list []int) []int {
	block, inner := h.Place(router)
	if block < 0 {
		return append(list, slices.Repeat([]int{-1}, len(h.Dimensions()))...)
	}
	if !h.Hosted() {
		list = Coordinates(h.outer, block, list)
	}
	return Coordinates(inBlock(h.block), inner, list)
}

// LinkDimension implements Coordinated, for links between blocks or within a block.
func (h *Hierarchy) LinkDimension(router, port int) int {
	block, inner := h.Place(router)
	if block < 0 {
		return -1
	}
	if external, ok := h.External(router, port); ok {
		if h.Hosted() || external >= h.outer.Graph().degree(block) {
			return -1
		}
		return LinkDimension(h.outer, block, external)
	}
	if port >= h.OwnLinks(inner) {
		return -1
	}
	d := LinkDimension(inBlock(h.block), inner, port)
	if d >= 0 && !h.Hosted() {
		d += len(Dimensions(h.outer))
	}
	return d
}

// coordName returns the coordinates of a router as text, first dimension first: "(3,0,1)".
func coordName(router int, dims []int) string {
	text := []byte{'('}
	for d, k := range dims {
		if d > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendInt(text, int64(router%k), 10)
		router /= k
	}
	return string(append(text, ')'))
}
