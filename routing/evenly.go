package routing

// chance is the set of kinds of random decisions that occurred.
type chance uint8

const (
	chanceInner chance = 1 << iota // within a block, or in a network that is no hierarchy
	chanceOuter                    // between blocks
	chanceBound                    // decisions that depend on one another, or on queues
	// Hashes within blocks and between them are not independent where both decide.
	chanceBoth = chanceInner | chanceOuter
)

// independent reports whether the probabilities of hops may be multiplied.
func (c chance) independent() bool { return c&chanceBound == 0 && c&chanceBoth != chanceBoth }

// fineFlow is the number of flow values from which on a hash of the flow is as good as a random
// choice.
const fineFlow = 1<<16 - 1

// evenFlows appends the hops of a leg whose flows are a field of packets' headers.
func evenFlows(l leg, flow field, at, to int32, list []Candidate) ([]Candidate, chance) {
	first := len(list)
	list, c := evenLeg(l, at, to, list)
	if len(list)-first > 1 && flow.mask < fineFlow {
		c |= chanceBound
	}
	return list, c
}

// evenLeg appends the next hops of a leg, and returns whether there is a choice among them. Legs
// choose by a hash of the flow and the router.
func evenLeg(l leg, at, to int32, list []Candidate) ([]Candidate, chance) {
	if h, ok := l.(*hierarchyLeg); ok {
		return h.evenly(at, to, list)
	}
	first := len(list)
	list = l.ways(at, to, list)
	if len(list)-first > 1 {
		return list, chanceInner
	}
	return list, 0
}

// evenly is evenLeg for hierarchies. A packet chooses its exit from a block at every router of the
// block by the same hash. So its choices depend on one another, unless all exits are at one router.
func (l *hierarchyLeg) evenly(at, to int32, list []Candidate) ([]Candidate, chance) {
	a, b := l.places[at], l.places[to]
	first := len(list)
	switch {
	case a.block == b.block:
		list, c := evenLeg(l.block, a.inner, b.inner, list)
		return list, c.within()
	case a.block < 0:
		list = l.enter(a, b, list)
		return list, outerChance(len(list) - first)
	}
	exits := l.outward(a, b, nil)
	where := l.exits[exits[0].Port].router
	for _, e := range exits {
		if l.exits[e.Port].router != where {
			return list, chanceBound
		}
	}
	if where != a.inner {
		list, c := evenLeg(l.block, a.inner, where, list)
		return list, c.within()
	}
	for _, e := range exits {
		list = append(list, Candidate{Port: l.exits[e.Port].port})
	}
	return list, outerChance(len(exits))
}

func outerChance(ways int) chance {
	if ways > 1 {
		return chanceOuter
	}
	return 0
}

// within returns the chance of a hop within a block. The block may be a hierarchy itself; then its
// outer decisions are marked as dependent.
func (c chance) within() chance {
	if c&chanceOuter != 0 {
		c |= chanceBound
	}
	return c
}
