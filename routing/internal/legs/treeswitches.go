package legs

import "fabricast/routing/internal/headers"

// switchLeg is shortest-path routing between any two switches of a tree, not only leaf switches.
// Hierarchies whose blocks have external ports at other switches need it.
//
// A switch is identified by the subtree of which it is a top switch, and by its number among the
// top switches of that subtree: one digit for each level up to its own. Links keep all digits that
// both ends have. To change a digit, a packet has to go down below the digit's level and up again.
// A packet at a level above its destination's does so in the destination's subtree; any other does
// so where it is. So a route goes down (to change digits), up, down into the destination's subtree,
// and up there (after digits are changed); each part may be missing.
//
// There are two channel classes: one for the first two parts, outside the destination's subtree,
// and one for the last two. Packets of one part wait only for packets of the same or a later part.
type switchLeg struct {
	*Tree
}

func (l switchLeg) Classes() int { return 2 }

// wrong returns the lowest level at which the digits of two switches differ, among the levels for
// which both have a digit; 0 if none differs.
func (l switchLeg) wrong(a, b *treeNode) int {
	for level := 2; level <= int(min(a.level, b.level)); level++ {
		if tops := l.levels[level].tops; a.top%tops != b.top%tops {
			return level
		}
	}
	return 0
}

// Onward implements RowLeg.
func (l switchLeg) Onward(at, to int32) (first, n uint32, class uint16) {
	a, b := &l.nodes[at], &l.nodes[to]
	level := &l.levels[a.level]
	child := l.down(at, to)
	if child >= 0 || l.under(at, b) {
		class = 1
	}
	switch {
	case child >= 0:
		return level.ups + uint32(child)*level.width, level.width, class
	case a.level <= b.level && l.wrong(a, b) > 0:
		return level.ups, uint32(level.children) * level.width, class
	case a.level < b.level:
		parent := uint32(b.top/level.tops) % level.parents
		return parent * level.upWidth, level.upWidth, class
	}
	return 0, level.ups, class
}

// under reports whether a switch is in the subtree of which another is a top switch.
func (l switchLeg) under(at int32, top *treeNode) bool {
	offset := at - top.first
	return offset >= 0 && offset < top.below+l.levels[top.level].tops
}

func (l switchLeg) Next(at, to int32, flow uint64) Hop {
	first, n, class := l.Onward(at, to)
	return Hop{Port: uint16(first) + uint16(headers.Pick(flow, at, int(n))), Class: class}
}

func (l switchLeg) Ways(at, to int32, list []Candidate) []Candidate {
	first, n, class := l.Onward(at, to)
	return inRow(first, n, class, list)
}

func (l switchLeg) Distance(at, to int32) int {
	a, b := &l.nodes[at], &l.nodes[to]
	from, end, top := int(a.level), int(b.level), l.common(at, to)
	wrong := l.wrong(a, b)
	switch {
	case wrong == 0:
		return (top - from) + (top - end)
	case l.down(at, to) >= 0 || l.under(at, b):
		return (from - (wrong - 1)) + (end - (wrong - 1))
	}
	return 2*(top-(wrong-1)) - max(from-end, end-from)
}

// common returns the level of the smallest subtree that holds two switches.
func (l *Tree) common(at, to int32) int {
	level := len(l.levels) - 1
	for ; level > 1; level-- {
		t := &l.levels[level]
		if at >= t.below || to >= t.below || at/t.child != to/t.child {
			break
		}
		at, to = at%t.child, to%t.child
	}
	return level
}
