package partners

import "sync/atomic"

// BineTree is the binomial negabinary tree of p places with place 0 as its root (De Sensi et al., SC
// 2025), with halving distances. If p is no power of two, it is the tree of the same steps in which
// a place is reached by the first step that can reach it.
type BineTree struct {
	parents  []int32
	children [][]int32 // in the order in which a place sends to them, the farthest first
}

// lastBine is the tree that was asked for last. The ranks of a collective ask for the same one.
var lastBine atomic.Pointer[BineTree]

// BineTreeOf returns the tree of p places.
func BineTreeOf(p int) *BineTree {
	t := lastBine.Load()
	if t == nil || len(t.parents) != p {
		t = newBineTree(p)
		lastBine.Store(t)
	}
	return t
}

func newBineTree(p int) *BineTree {
	t := &BineTree{parents: make([]int32, p), children: make([][]int32, p)}
	for i := range t.parents {
		t.parents[i] = -1
	}
	b := NewSwinging([]int{p}, 0, false)
	reached := []int32{0}
	for s := b.Count() - 1; s >= 0; s-- {
		for _, parent := range reached {
			child := b.From(s, int(parent))
			if child != 0 && t.parents[child] < 0 {
				t.parents[child] = parent
				t.children[parent] = append(t.children[parent], int32(child))
				reached = append(reached, int32(child))
			}
		}
	}
	return t
}

// Below lists the places of the subtree of a place, itself first.
func (t *BineTree) Below(place int) []int32 {
	list := []int32{int32(place)}
	for i := 0; i < len(list); i++ {
		list = append(list, t.children[list[i]]...)
	}
	return list
}

// Shape returns a place's position in the tree.
func (t *BineTree) Shape(place int) Shape {
	s := Shape{Parent: int(t.parents[place])}
	for _, c := range t.children[place] {
		s.Children = append(s.Children, int(c))
	}
	return s
}

// BineDown is the Shaper of a BineTree.
func BineDown(p, place int) Shape { return BineTreeOf(p).Shape(place) }

// BineUp is the Shaper of a BineTree in which each place combines its nearest child first.
func BineUp(p, place int) Shape {
	s := BineDown(p, place)
	for i, j := 0, len(s.Children)-1; i < j; i, j = i+1, j-1 {
		s.Children[i], s.Children[j] = s.Children[j], s.Children[i]
	}
	return s
}
