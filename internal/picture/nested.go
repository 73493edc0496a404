package picture

import (
	"fmt"

	"fabricast/topology"
)

// placeHierarchy lays out the outer topology with a block at each of its positions. If there are
// too many routers, each block is one cell.
func placeHierarchy(h *topology.Hierarchy, most int) *scene {
	outer := placeWithin(h.Outer(), most)
	n := &nest{
		h:     h,
		most:  most,
		outer: outer,
		s:     &scene{cell: make([]int32, h.Graph().Routers), below: outer.below, spacing: 1},
	}
	if h.Graph().Routers <= most {
		n.block = placeWithin(h.Block(), most).centered()
	} else {
		n.block = &scene{at: []point{{}}, cell: make([]int32, h.Block().Graph().Routers)}
	}
	n.own = n.block.radius() + 0.5
	if h.Hosted() {
		n.hosted()
	} else {
		n.joined()
	}
	n.s.control = n.control
	return n.s
}

// nest places blocks in the scene of the outer topology.
type nest struct {
	h            *topology.Hierarchy
	most         int // largest number of cells
	outer, block *scene
	s            *scene
	own          float64 // radius of a block
	scale        float64 // scale of the outer scene
	first        []int   // first cell of each block drawn
	whole        bool    // blocks in the same cell of the outer scene are drawn as one
}

// joined places blocks that replace the routers of the outer topology.
func (n *nest) joined() {
	n.scale = max(1, 2.3*n.own)
	if len(n.outer.at) < n.h.Blocks() { // even with one cell each, there are too many blocks
		n.s.at = n.outer.at
		for r := range n.s.cell {
			block, _ := n.h.Place(r)
			n.s.cell[r] = n.outer.cell[block]
		}
		n.whole = true
		return
	}
	for b := range n.h.Blocks() {
		n.add(b, n.outer.at[n.outer.cell[b]].times(n.scale))
	}
}

// hosted places blocks that are attached to the outer topology's routers: around or below them.
func (n *nest) hosted() {
	g := n.h.Outer().Graph()
	if len(n.block.at) == 1 && n.h.Blocks() > n.most { // too many blocks to be distinguishable
		n.within()
		return
	}
	counts := make([]int, len(n.outer.at))
	most := 1
	for b := range g.Hosts {
		c := n.outer.cell[g.HostRouter(b)]
		counts[c]++
		most = max(most, counts[c])
	}
	reach := 2.3 * n.own * float64(most)
	n.scale = max(1, reach)
	tall := n.scale
	if n.outer.below { // levels can be closer together than blocks
		tall = max(1, 0.4*n.scale)
	}
	for _, p := range n.outer.at {
		n.s.at = append(n.s.at, point{p.x * n.scale, p.y * tall})
	}
	seen := make([]int, len(n.outer.at))
	for b := range g.Hosts {
		c := n.outer.cell[g.HostRouter(b)]
		at := n.s.at[c]
		if n.outer.below {
			at = at.plus(point{(float64(seen[c]) - float64(counts[c]-1)/2) * 2.3 * n.own, reach/2 + 2*n.own})
		} else {
			at = at.plus(onCircle(max(0.35*reach, 1.5*n.own), float64(seen[c])/float64(counts[c])))
		}
		seen[c]++
		n.add(b, at)
	}
	for r := range n.s.cell {
		if block, inner := n.h.Place(r); block < 0 {
			n.s.cell[r] = n.outer.cell[inner]
		}
	}
}

// within merges blocks with the routers of the outer topology to which they are attached.
func (n *nest) within() {
	n.s.at, n.whole = n.outer.at, true
	outer := n.h.Outer().Graph()
	for r := range n.s.cell {
		block, inner := n.h.Place(r)
		if block >= 0 {
			inner = outer.HostRouter(block)
		}
		n.s.cell[r] = n.outer.cell[inner]
	}
}

// add adds the cells of a block at the given position.
func (n *nest) add(block int, at point) {
	first := len(n.s.at)
	n.first = append(n.first, first)
	for _, p := range n.block.at {
		n.s.at = append(n.s.at, at.plus(p))
	}
	if len(n.block.at) > 1 {
		n.s.frames = append(n.s.frames, frame{at, n.own})
		n.s.framed = "block"
		n.s.labels = append(
			n.s.labels,
			label{at.plus(point{0, -n.own}), point{0, -1}, fmt.Sprintf("block %d", block)},
		)
	}
	for i, c := range n.block.cell {
		n.s.cell[n.h.Router(block, i)] = int32(first) + c
	}
}

// control bends links within a block as the block's scene does, and others as the outer scene does.
func (n *nest) control(a, b int) (point, bool) {
	if n.whole {
		return n.bend(n.outer, a, b, point{}, 1)
	}
	x, y := n.blockOf(a), n.blockOf(b)
	if x < 0 || y < 0 {
		return point{}, false
	}
	if x == y {
		first := n.first[x]
		return n.bend(n.block, a-first, b-first, n.s.at[first].plus(n.block.at[0].times(-1)), 1)
	}
	if n.h.Hosted() {
		return point{}, false
	}
	p, ok := n.bend(n.outer, int(n.outer.cell[x]), int(n.outer.cell[y]), point{}, n.scale)
	if !ok {
		return p, false
	}
	return p, true
}

func (n *nest) bend(s *scene, a, b int, origin point, scale float64) (point, bool) {
	if s.control == nil {
		return point{}, false
	}
	p, ok := s.control(a, b)
	return p.times(scale).plus(origin), ok
}

// blockOf returns the block of a cell, -1 for routers of the outer topology.
func (n *nest) blockOf(cell int) int {
	if len(n.first) == 0 || cell < n.first[0] {
		return -1
	}
	return (cell - n.first[0]) / len(n.block.at)
}
