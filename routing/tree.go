package routing

import (
	"fmt"

	"fabricast/topology"
)

// Up says which of the ways up a packet takes on a tree.
type Up uint8

const (
	// UpDestination takes the way up that the number of the destination host says,
	// digit by digit: destination-mod-k or "down-straight", D-mod-K of Zahavi
	// (Optimized InfiniBand fat-tree routing for shift all-to-all communication
	// patterns, Concurrency and Computation 2010; J. Parallel and Distributed
	// Computing 2012). All packets to a host come down the same way.
	UpDestination Up = iota
	// UpSource takes the way up that the number of the source host says: source-mod-k or "up-straight".
	UpSource
	// UpHash takes one by a hash of source and destination.
	UpHash
	// UpRandom draws one for every packet.
	UpRandom
	// UpAdaptive takes the one with the shortest queue.
	UpAdaptive
)

// treeLeg is routing by nearest common ancestors on a tree (Leiserson, IEEE Trans.
// Computers 1985; Petrini and Vanneschi, IPPS 1997): up until the destination is
// below, then down the only way. Waits go up and then down, so one class is enough.
type treeLeg struct {
	nodes  []treeNode // by router
	levels []treeLevel
	digits bool // a flow is a host's number
}

// treeNode is what a switch knows of its place: the routers below it are those
// from first on, in as many equal parts as it has children.
type treeNode struct {
	first, below int32
	level        uint8
}

// treeLevel is what all switches of a level have in common.
type treeLevel struct {
	child   int32  // routers of a child's subtree
	ups     uint32 // ports up
	parents uint32
	width   uint32 // links to each child
	upWidth uint32 // links to each parent
	divisor uint64 // of a host's number, for the digit at this level
}

func newTreeLeg(t *topology.XGFT, digits bool) *treeLeg {
	l := &treeLeg{nodes: make([]treeNode, t.Graph().Routers), levels: make([]treeLevel, t.Levels()+1), digits: digits}
	below := make([]int, t.Levels()+1) // routers below a switch, by its level
	tops, subtree := 1, 0
	for level := 1; level <= t.Levels(); level++ {
		tops *= t.Parents(level - 1)
		l.levels[level] = treeLevel{
			child: int32(subtree), ups: uint32(t.Ups(level)), parents: uint32(t.Parents(level)),
			width: uint32(t.Width(level - 1)), upWidth: uint32(t.Width(level)), divisor: uint64(tops),
		}
		below[level] = t.Children(level) * subtree
		subtree = below[level] + tops
	}
	for r := range l.nodes {
		level := t.Level(r)
		first := r - t.Sibling(r) - below[level]
		l.nodes[r] = treeNode{first: int32(first), below: int32(below[level]), level: uint8(level)}
	}
	return l
}

func (l *treeLeg) classes() int { return 1 }

// down is the child of a switch below which a router is; -1 if it is not below it.
func (l *treeLeg) down(at, to int32) int32 {
	n := &l.nodes[at]
	if offset := to - n.first; offset >= 0 && offset < n.below {
		return offset / l.levels[n.level].child
	}
	return -1
}

func (l *treeLeg) next(at, to int32, flow uint64) hop {
	level := &l.levels[l.nodes[at].level]
	if child := l.down(at, to); child >= 0 {
		return hop{port: uint16(level.ups + uint32(child)*level.width + l.lane(at, level.width, flow))}
	}
	if !l.digits {
		return hop{port: uint16(pick(flow, at, int(level.ups)))}
	}
	digit := uint32(flow / level.divisor % uint64(level.ups))
	return hop{port: uint16(digit%level.parents*level.upWidth + digit/level.parents)}
}

// lane chooses among the parallel links to a child.
func (l *treeLeg) lane(at int32, width uint32, flow uint64) uint32 {
	if width == 1 {
		return 0
	}
	if !l.digits {
		return uint32(pick(flow, at, int(width)))
	}
	below := &l.levels[l.nodes[at].level-1]
	return uint32(flow/below.divisor%uint64(below.ups)) / below.parents
}

func (l *treeLeg) ways(at, to int32, list []Candidate) []Candidate {
	level := &l.levels[l.nodes[at].level]
	first, n := uint32(0), level.ups
	if child := l.down(at, to); child >= 0 {
		first, n = level.ups+uint32(child)*level.width, level.width
	}
	for i := range n {
		list = append(list, Candidate{Port: uint16(first + i)})
	}
	return list
}

// distance is the way between leaf switches: up to the nearest common ancestor,
// which is where their ways from the top part, and down again.
func (l *treeLeg) distance(at, to int32) int {
	for level := len(l.levels) - 1; level > 1; level-- {
		child := l.levels[level].child
		if at/child != to/child {
			return 2 * (level - 1)
		}
		at, to = at%child, to%child
	}
	return 0
}

// NewNCA returns routing by nearest common ancestors on a tree: a Function for
// UpDestination, UpSource and UpHash, a Randomized for UpRandom, an Adaptive for
// UpAdaptive. One virtual channel is enough.
func NewNCA(t *topology.XGFT, vcs int, up Up) (any, error) {
	g := t.Graph()
	l := newTreeLeg(t, up == UpDestination || up == UpSource)
	flow := flowPair
	switch up {
	case UpDestination:
		flow = flowDestination
	case UpSource:
		flow = flowSource
	}
	d, err := newDirect(g, "nca", l, vcs, flow)
	if err != nil {
		return nil, err
	}
	if l.digits && d.address.flow.mask < uint64(g.Hosts-1) {
		return nil, fmt.Errorf("the numbers of %d hosts do not fit beside the rest of a route header; take a random or adaptive way up", g.Hosts)
	}
	switch up {
	case UpRandom:
		return Scattered{d}, nil
	case UpAdaptive:
		return Spreading{d}, nil
	}
	return d, nil
}
