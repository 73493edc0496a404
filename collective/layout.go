package collective

import (
	"fmt"
	"slices"
)

// Placed is a Comm that knows where its ranks are in the machine.
type Placed interface {
	Comm
	// Layout returns where the ranks are; nil if nothing is known of the machine.
	Layout() *Layout
}

// Layout says where the ranks of a communicator are, as far as algorithms need to know it. It is
// immutable.
type Layout struct {
	// Nodes are the ranks of each host or, in networks whose nodes are networks of several hosts, of
	// each node.
	Nodes *Teams
	// Seats orders the ranks of each node by their hosts; nil if a node is a host.
	Seats  *Seats
	Groups *Teams // the ranks of each group of routers; nil if the network has no groups
	Box    *Box   // nil if the ranks do not fill a box of a grid
	noBox  string // why, if Box is nil
	Trees  *Trees // of switches; nil if there are none for these ranks
	treeOf func(ranks []int32) *Trees
}

// HasTrees reports whether switches have trees, of any ranks.
func (l *Layout) HasTrees() bool { return l.treeOf != nil }

// TreesOf returns the trees of switches for some of the ranks, nil if there are none.
func (l *Layout) TreesOf(ranks []int32) *Trees {
	if l.treeOf == nil {
		return nil
	}
	return l.treeOf(ranks)
}

// LayoutOf returns where the ranks of a communicator are. If nothing is known of the machine, each
// rank is taken to be on a host of its own, on a ring in the order of ranks, all in one group.
func LayoutOf(c Comm) *Layout {
	if p, ok := c.(Placed); ok {
		if l := p.Layout(); l != nil {
			return l
		}
	}
	return Flat(c.Size())
}

// TeamsOf returns the teams of an algorithm: those of the nodes or, if it is Groups, of the groups,
// which may be nil.
func (l *Layout) TeamsOf(a Algorithm) *Teams {
	if a == Groups {
		return l.Groups
	}
	return l.Nodes
}

// Flat returns the layout of ranks of which nothing is known, see LayoutOf.
func Flat(ranks int) *Layout {
	own, same := make([]int32, ranks), make([]int32, ranks)
	for r := range ranks {
		own[r] = int32(r)
	}
	return &Layout{Nodes: NewTeams(own), Groups: NewTeams(same), Box: Row(ranks)}
}

// At returns a communicator with the layout l. It has only the methods of Comm.
func At(c Comm, l *Layout) Comm { return &placed{c, l} }

type placed struct {
	Comm
	layout *Layout
}

// Layout implements Placed.
func (p *placed) Layout() *Layout { return p.layout }

// Teams divides the ranks of a communicator, such as into those of each host.
type Teams struct {
	// Members lists the ranks of each team in ascending order; teams are in the order of their first
	// ranks. The caller must not change it.
	Members [][]int32
	// Least is the number of ranks of the smallest team.
	Least int
	of    []int32
}

// NewTeams returns the teams of ranks that have the same value. values has one for each rank.
func NewTeams(values []int32) *Teams {
	t := &Teams{of: make([]int32, len(values)), Least: len(values)}
	numbers := map[int32]int32{}
	for rank, v := range values {
		n, known := numbers[v]
		if !known {
			n = int32(len(t.Members))
			numbers[v] = n
			t.Members = append(t.Members, nil)
		}
		t.of[rank] = n
		t.Members[n] = append(t.Members[n], int32(rank))
	}
	for _, m := range t.Members {
		t.Least = min(t.Least, len(m))
	}
	return t
}

// Of returns the team of a rank, and the rank's place in it.
func (t *Teams) Of(rank int) (team, place int) {
	team = int(t.of[rank])
	place, _ = slices.BinarySearch(t.Members[team], int32(rank))
	return team, place
}

// Box is a grid of places, one for each rank of a communicator. The first dimension varies fastest.
type Box struct {
	Dims   []int   // sizes; at least one. The caller must not change it
	ranks  []int32 // by place; nil: the same
	places []int32 // by rank; nil: the same
}

// Row returns the box of ranks in a row.
func Row(ranks int) *Box { return &Box{Dims: []int{ranks}} }

// Rank returns the rank at a place.
func (b *Box) Rank(place int) int {
	if b.ranks == nil {
		return place
	}
	return int(b.ranks[place])
}

// Place returns the place of a rank.
func (b *Box) Place(rank int) int {
	if b.places == nil {
		return rank
	}
	return int(b.places[rank])
}

// Need is what an algorithm needs to know of the machine.
type Need string

// Values of Need.
const (
	NeedsNothing Need = ""
	// the ranks fill a box of a torus, mesh or HyperX, with as many ranks on each router
	NeedsBox Need = "box"
	// the network has groups of routers
	NeedsGroups Need = "groups"
	// switches have a tree of just these ranks
	NeedsTrees Need = "trees"
	// likewise, and reduce
	NeedsReduction Need = "reduction"
)

// Lacks says what an algorithm with a need cannot find here, and what it expects; "" if it can run.
func (l *Layout) Lacks(n Need) (found, expected string) {
	switch {
	case n == NeedsBox && l.Box == nil:
		return l.noBox, "ranks that fill a box of a torus, mesh or HyperX, as many on each router"
	case n == NeedsGroups && l.Groups == nil:
		return "a network without groups", "a network with groups of routers, such as a dragonfly"
	case (n == NeedsTrees || n == NeedsReduction) && l.Trees == nil:
		return "switches without a tree for these ranks", "network.in_network with a group of just these ranks"
	case n == NeedsReduction && !l.Trees.Reduces:
		return "switches that only copy", "network.in_network of a kind that reduces"
	}
	return "", ""
}

// Suits reports whether an algorithm finds what it needs in a layout.
func (i *Info) Suits(l *Layout) bool {
	found, _ := l.Lacks(i.Needs)
	return found == ""
}

// Require panics, which ends the run with the message, if an algorithm lacks what it needs.
func (l *Layout) Require(k Kind, a Algorithm, n Need) {
	if found, expected := l.Lacks(n); found != "" {
		panic(fmt.Sprintf("%s: algorithm %s needs %s, found %s", k, a, expected, found))
	}
}
