package legs

import "fabricast/routing/internal/headers"

// Chance is the set of kinds of random decisions that occurred.
type Chance uint8

const (
	ChanceInner Chance = 1 << iota // within a block, or in a network that is no hierarchy
	chanceOuter                    // between blocks
	ChanceBound                    // decisions that depend on one another, or on queues
	// Hashes within blocks and between them are not independent where both decide.
	chanceBoth = ChanceInner | chanceOuter
)

// Independent reports whether the probabilities of hops may be multiplied.
func (c Chance) Independent() bool { return c&ChanceBound == 0 && c&chanceBoth != chanceBoth }

// fineFlow is the number of flow values from which on a hash of the flow is as good as a random
// choice.
const fineFlow = 1<<16 - 1

// Evenly appends the hops of a leg whose flows are a field of packets' headers.
func Evenly(l Leg, flow headers.Field, at, to int32, list []Candidate) ([]Candidate, Chance) {
	first := len(list)
	list, c := evenLeg(l, at, to, list)
	if len(list)-first > 1 && flow.Max() < fineFlow {
		c |= ChanceBound
	}
	return list, c
}

// evenLeg appends the next hops of a leg, and returns whether there is a choice among them. Legs
// choose by a hash of the flow and the router.
func evenLeg(l Leg, at, to int32, list []Candidate) ([]Candidate, Chance) {
	switch l := l.(type) {
	case *Hierarchy:
		return l.evenly(at, to, list)
	case *nodesLeg:
		return l.evenly(at, to, list)
	}
	first := len(list)
	list = l.Ways(at, to, list)
	if len(list)-first > 1 {
		return list, ChanceInner
	}
	return list, 0
}

// evenly is evenLeg for hierarchies. A packet chooses its exit from a block at every router of the
// block by the same hash. So its choices depend on one another, unless all exits are at one router.
func (l *Hierarchy) evenly(at, to int32, list []Candidate) ([]Candidate, Chance) {
	a, b := l.Places[at], l.Places[to]
	first := len(list)
	switch {
	case a.Block == b.Block:
		list, c := evenLeg(l.Block, a.Inner, b.Inner, list)
		return list, c.within()
	case a.Block < 0:
		list = l.enter(a, b, list)
		return list, outerChance(len(list) - first)
	}
	exits := l.outward(a, b, nil)
	where := l.Exits[exits[0].Port].Router
	for _, e := range exits {
		if l.Exits[e.Port].Router != where {
			return list, ChanceBound
		}
	}
	if where != a.Inner {
		list, c := evenLeg(l.Block, a.Inner, where, list)
		return list, c.within()
	}
	for _, e := range exits {
		list = append(list, Candidate{Port: l.Exits[e.Port].Port})
	}
	return list, outerChance(len(exits))
}

func outerChance(ways int) Chance {
	if ways > 1 {
		return chanceOuter
	}
	return 0
}

// within returns the chance of a hop within a block. The block may be a hierarchy itself; then its
// outer decisions are marked as dependent.
func (c Chance) within() Chance {
	if c&chanceOuter != 0 {
		c |= ChanceBound
	}
	return c
}
