package routing

import (
	"fmt"

	"fabricast/internal/option"
	"fabricast/topology"
)

var _ = Register(20, Description[NCAOptions]{
	Summary:  "up to a nearest common ancestor, and down",
	Networks: "fat-tree, k-ary-n-tree or xgft", Fits: is[*topology.XGFT],
	Make: func(o *NCAOptions, n Network) (Algorithm, error) {
		return NewNCA(n.Topology.(*topology.XGFT), n.VCs, o.Up)
	},
	Pairs: true,
	Help: map[string]string{
		"up": "'destination', 'source', 'hash', 'random' or 'adaptive'",
	},
	Manual: Manual{
		Section: "nearest-common-ancestors", Routes: "minimal: up, then down", VCs: "1",
		Source: "Leiserson 1985; Zahavi 2010, 2012",
	},
	Examples: []string{"", "up: source", "up: hash", "up: random", "up: adaptive"},
})

// NCAOptions are the options of the algorithm "nca" (nearest common ancestors) in experiments.
type NCAOptions struct {
	Up Up `yaml:"up" default:"'destination'" fill:"destination"`
}

// Name implements Spec.
func (NCAOptions) Name() string { return "nca" }

// Up selects how a packet chooses among the parents of a switch on its way up a tree.
type Up uint8

const (
	// UpDestination chooses by the number of the destination host, one digit at each level:
	// destination-mod-k or "down-straight", D-mod-K of Zahavi (Optimized InfiniBand fat-tree
	// routing for shift all-to-all communication patterns, Concurrency and Computation 2010; J.
	// Parallel and Distributed Computing 2012). All packets to a host come down over the same
	// switches.
	UpDestination Up = iota
	// UpSource chooses by the number of the source host: source-mod-k or "up-straight".
	UpSource
	// UpHash chooses by a hash of source and destination.
	UpHash
	// UpRandom chooses at random for every packet.
	UpRandom
	// UpAdaptive chooses the port with the shortest queue.
	UpAdaptive
)

var ups = []string{
	UpDestination: "destination", UpSource: "source", UpHash: "hash", UpRandom: "random",
	UpAdaptive: "adaptive",
}

// upAliases holds other words for values of Up, each with the standard word.
var upAliases = [][2]string{{"up-straight", "source"}, {"down-straight", "destination"}}

// Words implements option.Worded.
func (u *Up) Words() []string { return ups }

// Aliases returns other texts that UnmarshalText accepts, each with the word for which it stands.
func (u *Up) Aliases() [][2]string { return upAliases }

// UnmarshalText parses the word used in experiments, or an alias.
func (u *Up) UnmarshalText(text []byte) error {
	for _, alias := range upAliases {
		if alias[0] == string(text) {
			text = []byte(alias[1])
		}
	}
	return option.Parse(u, text, ups)
}

// treeLeg is routing by nearest common ancestors on a tree (Leiserson, IEEE Trans. Computers 1985;
// Petrini and Vanneschi, IPPS 1997): up until the destination is below the switch, then down by the
// only path. Packets wait for channels up, then for channels down, so one channel class is enough.
type treeLeg struct {
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

var _ = registerLeg(func(t *topology.XGFT, between ends) (leg, error) {
	if between == anyEnds {
		return switchLeg{newTreeLeg(t, false)}, nil
	}
	return newTreeLeg(t, false), nil
})

func newTreeLeg(t *topology.XGFT, digits bool) *treeLeg {
	l := &treeLeg{
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

func (l *treeLeg) classes() int { return 1 }

// down returns the child of switch at whose subtree holds router to; -1 if router to is not below
// the switch.
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
		return hop{port: uint16(level.ups + uint32(child)*level.width + l.choice(at, level.width, flow))}
	}
	if !l.digits {
		return hop{port: uint16(pick(flow, at, int(level.ups)))}
	}
	digit := uint32(flow / level.divisor % uint64(level.ups))
	return hop{port: uint16(digit%level.parents*level.upWidth + digit/level.parents)}
}

// choice returns the parallel link to a child that a flow takes, from 0 to width-1.
func (l *treeLeg) choice(at int32, width uint32, flow uint64) uint32 {
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
	first, n, _ := l.onward(at, to)
	for i := range n {
		list = append(list, Candidate{Port: uint16(first + i)})
	}
	return list
}

// onward implements rowLeg.
func (l *treeLeg) onward(at, to int32) (first, n uint32, class uint16) {
	level := &l.levels[l.nodes[at].level]
	if child := l.down(at, to); child >= 0 {
		return level.ups + uint32(child)*level.width, level.width, 0
	}
	return 0, level.ups, 0
}

// distance returns the number of hops between two leaf switches: up to their nearest common
// ancestor and down again.
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

// NewNCA returns routing by nearest common ancestors on a tree. The result is a Function for
// UpDestination, UpSource and UpHash, a Randomized for UpRandom, an Adaptive for UpAdaptive. One
// virtual channel is enough.
func NewNCA(t *topology.XGFT, vcs int, up Up) (Algorithm, error) {
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
		return nil, fmt.Errorf(
			"the numbers of %d hosts do not fit beside the rest of a route header; take a random or "+
				"adaptive way up",
			g.Hosts,
		)
	}
	switch up {
	case UpRandom:
		return Scattered{d}, nil
	case UpAdaptive:
		return newSpreading(d), nil
	}
	return d, nil
}
