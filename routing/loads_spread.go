package routing

import "fabricast/topology"

// evenWays is a function that appends the hops that a packet may take at a router toward another,
// each with the same probability. A hop of greater probability is appended more than once.
type evenWays func(at, to int32, list []Candidate) ([]Candidate, chance)

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

// evenly implements evenWays for packets that choose by coins of their own.
func (d *Direct) evenly(at, to int32, list []Candidate) ([]Candidate, chance) {
	return d.address.evenly(d.leg, at, to, list)
}

func (a *address) evenly(l leg, at, to int32, list []Candidate) ([]Candidate, chance) {
	first := len(list)
	list, c := evenLeg(l, at, to, list)
	if len(list)-first > 1 && a.flow.mask < fineFlow {
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

// onePort returns evenWays that reports a dependence on queues where the hops are by different
// ports.
func onePort(ways evenWays) evenWays {
	return func(at, to int32, list []Candidate) ([]Candidate, chance) {
		first := len(list)
		list, c := ways(at, to, list)
		for i := first; i < len(list); i++ {
			if list[i].Port != list[first].Port {
				return list, chanceBound
			}
		}
		return list, c
	}
}

// oneWay returns evenWays that reports a dependence on queues where there are several hops.
func oneWay(ways evenWays) evenWays {
	return func(at, to int32, list []Candidate) ([]Candidate, chance) {
		first := len(list)
		list, c := ways(at, to, list)
		if len(list)-first > 1 {
			c |= chanceBound
		}
		return list, c
	}
}

// evenly implements evenWays for packets that choose by coins of their own where both directions
// round a ring are equally long.
func (d *DOR) evenly(at, to int32, list []Candidate) ([]Candidate, chance) {
	a, b := int(at), int(to)
	for dim, k := range d.torus.Dims() {
		from, into := a%k, b%k
		if from == into {
			a, b = a/k, b/k
			continue
		}
		hops, tie := d.torus.Hops(dim, from, into)
		port := uint16(2 * dim)
		if hops < 0 {
			port++
		}
		list = append(list, Candidate{Port: port})
		if tie && d.tie == TieSplit {
			return append(list, Candidate{Port: port ^ 1}), chanceInner
		}
		return list, 0
	}
	return list, 0
}

// spreader moves amounts of traffic from routers to one destination, hop by hop, and adds up the
// loads on the way.
type spreader struct {
	*meanLoads
	ways   evenWays
	amount []float64 // by router: the traffic that is there and has to go on
	place  []int32   // by router: its index in stops plus 1; 0: not visited yet; -1: being visited
	stops  []stop    // each router comes after all that it sends to
	list   []Candidate
	chance chance
}

// stop is a router on the way to the destination, with the range of its next hops in spreader.list.
type stop struct{ router, first, end int32 } // its ways in list

func (m *meanLoads) newSpreader(ways evenWays) *spreader {
	return &spreader{
		meanLoads: m,
		ways:      ways,
		amount:    make([]float64, m.graph.Routers),
		place:     make([]int32, m.graph.Routers),
	}
}

// toward moves all amounts to router to, or only as far as routers for which done returns true, and
// calls arrive with the traffic that comes there. It returns false if the routes go in a cycle,
// depend on one another, or exceed the effort.
func (s *spreader) toward(
	from []int32,
	to int32,
	done func(router int32) bool,
	arrive func(router int32, amount float64),
) bool {
	s.stops, s.list = s.stops[:0], s.list[:0]
	sound := true
	for _, r := range from {
		sound = sound && (s.amount[r] == 0 || s.see(r, to, done))
	}
	for i := len(s.stops) - 1; i >= 0; i-- {
		p := s.stops[i]
		amount := s.amount[p.router]
		s.amount[p.router], s.place[p.router] = 0, 0
		switch {
		case !sound:
		case p.first == p.end:
			if arrive != nil {
				arrive(p.router, amount)
			}
		default:
			s.pass(p, amount/float64(p.end-p.first))
		}
	}
	return sound && s.chance.independent() && s.spend(int64(len(s.list)+1))
}

// pass sends the same amount, part, over each next hop of a stop.
func (s *spreader) pass(p stop, part float64) {
	g := s.graph
	for _, c := range s.list[p.first:p.end] {
		out := g.PortBase[p.router] + int32(c.Port)
		s.load[out] += part
		s.amount[g.Ports[g.Ports[out].Peer].Router] += part
	}
}

// see finds the next hops of a router, and of all routers to which they lead. It returns false if
// they form a cycle.
func (s *spreader) see(router, to int32, done func(int32) bool) bool {
	if s.place[router] != 0 {
		return s.place[router] > 0
	}
	s.place[router] = -1
	first := int32(len(s.list))
	if router != to && (done == nil || !done(router)) {
		var c chance
		s.list, c = s.ways(router, to, s.list)
		s.chance |= c
	}
	end := int32(len(s.list))
	sound := true
	for i := first; i < end && sound; i++ {
		port := &s.graph.Ports[s.graph.PortBase[router]+int32(s.list[i].Port)]
		sound = port.Peer != topology.Unconnected && s.see(s.graph.Ports[port.Peer].Router, to, done)
	}
	s.stops = append(s.stops, stop{router, first, end})
	s.place[router] = int32(len(s.stops))
	return sound
}
