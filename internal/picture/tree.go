package picture

import (
	"fmt"

	"fabricast/topology"
)

// placeTree lays out the levels of a tree one above the other, with every switch above the middle
// of its subtree. If there are too many switches, equivalent switches of a subtree are merged into
// one, and small subtrees into the cell that contains them.
func placeTree(t topology.Tree, most int) *scene {
	v := treeView{t: t, merge: t.Graph().Routers > most, low: 1}
	for v.merge && v.cells() > most && v.low < t.Levels() {
		v.low++
	}
	v.measure()
	s := &scene{below: true, spacing: 1, cell: make([]int32, t.Graph().Routers)}
	v.descend(s, t.Levels(), 0, 0, -1)
	for l := v.low; l <= t.Levels(); l++ {
		s.labels = append(
			s.labels,
			label{point{-0.5, -float64(l) * v.height}, point{-1, 0}, fmt.Sprintf("level %d", l)},
		)
	}
	return s.centered()
}

// treeView selects which part of a tree is drawn.
type treeView struct {
	t      topology.Tree
	merge  bool // equivalent switches are merged
	low    int  // the lowest level that is drawn
	width  []float64
	height float64
}

// subtrees returns the number of subtrees of a level.
func (v *treeView) subtrees(level int) int {
	n := 1
	for l := v.t.Levels(); l > level; l-- {
		n *= v.t.Children(l)
	}
	return n
}

// tops returns the number of equivalent top switches of a subtree.
func (v *treeView) tops(level int) int {
	n := 1
	for l := range level {
		n *= v.t.Parents(l)
	}
	return n
}

func (v *treeView) cells() int {
	n := 0
	for l := v.low; l <= v.t.Levels(); l++ {
		n += v.subtrees(l)
	}
	return n
}

// measure computes the width in the drawing of a subtree of each level.
func (v *treeView) measure() {
	v.width = make([]float64, v.t.Levels()+1)
	for l := v.low; l <= v.t.Levels(); l++ {
		own := 1.0
		if !v.merge {
			own = float64(v.tops(l))
		}
		if l > v.low {
			own = max(own, float64(v.t.Children(l))*v.width[l-1])
		}
		v.width[l] = own + 0.4*float64(l-v.low)
	}
	v.height = max(2.5, 0.16*v.width[v.t.Levels()])
}

// descend places the subtree of a level that starts with router first; left is its left edge. Below
// the lowest level that is drawn, all routers belong to cell inside. It returns the index after the
// subtree's last router.
func (v *treeView) descend(s *scene, level, first int, left float64, inside int) int {
	if level == 0 {
		return first
	}
	drawn := level >= v.low
	cell := inside
	tops := v.tops(level)
	if drawn {
		cell = len(s.at)
		v.row(s, level, tops, left)
	}
	next := first
	for x := range v.t.Children(level) {
		if level == 1 {
			break // hosts
		}
		step := v.width[level] / float64(v.t.Children(level))
		next = v.descend(s, level-1, next, left+float64(x)*step, cell)
	}
	for i := range tops {
		s.cell[next+i] = int32(cell)
		if drawn && !v.merge {
			s.cell[next+i] += int32(i)
		}
	}
	return next + tops
}

// row adds the cells of a subtree's top switches.
func (v *treeView) row(s *scene, level, tops int, left float64) {
	if v.merge {
		tops = 1
	}
	for i := range tops {
		x := left + v.width[level]*(float64(i)+0.5)/float64(tops)
		s.at = append(s.at, point{x, -float64(level) * v.height})
	}
}
