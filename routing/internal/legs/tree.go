package legs

import (
	"fabricast/routing/internal/headers"
	"fabricast/topology"
)

// Tree is routing by nearest common ancestors on a tree (Leiserson, IEEE Trans. Computers 1985;
// Petrini and Vanneschi, IPPS 1997): up until the destination is below the switch, then down by the
// only path. Packets wait for channels up, then for channels down, so one channel class is enough.
type Tree struct {
	nodes  []treeNode // by router
	levels []treeLevel
	digits bool // the flow is a host's number, whose digits choose the ports up
}

// treeNode is a switch's place in the tree. The routers below it are numbered consecutively from
// first on, in equal parts for each of its children.
type treeNode struct {
	first, below int32
	top          int32 // its number among the top switches of the same subtree
	level        uint8
}

// treeLevel holds the values common to all switches of a level.
type treeLevel struct {
	child    int32 // routers of a child's subtree
	below    int32 // routers below a switch
	tops     int32 // top switches of one subtree
	children int32
	ups      uint32 // ports up
	parents  uint32
	width    uint32 // links to each child
	upWidth  uint32 // links to each parent
	divisor  uint64 // a host's number divided by it, modulo ups, is its digit at this level
}

var _ = register(func(t *topology.XGFT, between Ends) (Leg, error) {
	if between == AnyEnds {
		return switchLeg{NewTree(t, false)}, nil
	}
	return NewTree(t, false), nil
})

func NewTree(t *topology.XGFT, digits bool) *Tree {
	l := &Tree{
		nodes:  make([]treeNode, t.Graph().Routers),
		levels: make([]treeLevel, t.Levels()+1),
		digits: digits,
	}
	tops, subtree := 1, 0
	for level := 1; level <= t.Levels(); level++ {
		tops *= t.Parents(level - 1)
		below := t.Children(level) * subtree
		l.levels[level] = treeLevel{
			child: int32(subtree), below: int32(below), tops: int32(tops),
			children: int32(t.Children(level)), parents: uint32(t.Parents(level)),
			ups: uint32(t.Ups(level)), divisor: uint64(tops),
			width: uint32(t.Width(level - 1)), upWidth: uint32(t.Width(level)),
		}
		subtree = below + tops
	}
	for r := range l.nodes {
		level, top := t.Level(r), int32(t.Sibling(r))
		below := l.levels[level].below
		l.nodes[r] = treeNode{first: int32(r) - top - below, below: below, top: top, level: uint8(level)}
	}
	return l
}

func (l *Tree) Classes() int { return 1 }

// down returns the child of switch at whose subtree holds router to; -1 if router to is not below
// the switch.
func (l *Tree) down(at, to int32) int32 {
	n := &l.nodes[at]
	if offset := to - n.first; offset >= 0 && offset < n.below {
		return offset / l.levels[n.level].child
	}
	return -1
}

func (l *Tree) Next(at, to int32, flow uint64) Hop {
	level := &l.levels[l.nodes[at].level]
	if child := l.down(at, to); child >= 0 {
		return Hop{Port: uint16(level.ups + uint32(child)*level.width + l.choice(at, level.width, flow))}
	}
	if !l.digits {
		return Hop{Port: uint16(headers.Pick(flow, at, int(level.ups)))}
	}
	digit := uint32(flow / level.divisor % uint64(level.ups))
	return Hop{Port: uint16(digit%level.parents*level.upWidth + digit/level.parents)}
}

// choice returns the parallel link to a child that a flow takes, from 0 to width-1.
func (l *Tree) choice(at int32, width uint32, flow uint64) uint32 {
	if width == 1 {
		return 0
	}
	if !l.digits {
		return uint32(headers.Pick(flow, at, int(width)))
	}
	below := &l.levels[l.nodes[at].level-1]
	return uint32(flow/below.divisor%uint64(below.ups)) / below.parents
}

func (l *Tree) Ways(at, to int32, list []Candidate) []Candidate {
	first, n, class := l.Onward(at, to)
	return inRow(first, n, class, list)
}

// Onward implements RowLeg.
func (l *Tree) Onward(at, to int32) (first, n uint32, class uint16) {
	level := &l.levels[l.nodes[at].level]
	if child := l.down(at, to); child >= 0 {
		return level.ups + uint32(child)*level.width, level.width, 0
	}
	return 0, level.ups, 0
}

// Distance returns the number of hops between two leaf switches: up to their nearest common
// ancestor and down again.
func (l *Tree) Distance(at, to int32) int {
	for level := len(l.levels) - 1; level > 1; level-- {
		child := l.levels[level].child
		if at/child != to/child {
			return 2 * (level - 1)
		}
		at, to = at%child, to%child
	}
	return 0
}
