package loads

import (
	"fabricast/routing/internal/legs"
	"fabricast/topology"
)

// EvenWays is a function that appends the hops that a packet may take at a router toward another,
// each with the same probability. A hop of greater probability is appended more than once.
type EvenWays func(at, to int32, list []legs.Candidate) ([]legs.Candidate, legs.Chance)

// OnePort returns EvenWays that reports a dependence on queues where the hops are by different
// ports.
func OnePort(ways EvenWays) EvenWays {
	return func(at, to int32, list []legs.Candidate) ([]legs.Candidate, legs.Chance) {
		first := len(list)
		list, c := ways(at, to, list)
		for i := first; i < len(list); i++ {
			if list[i].Port != list[first].Port {
				return list, legs.ChanceBound
			}
		}
		return list, c
	}
}

// oneWay returns EvenWays that reports a dependence on queues where there are several hops.
func oneWay(ways EvenWays) EvenWays {
	return func(at, to int32, list []legs.Candidate) ([]legs.Candidate, legs.Chance) {
		first := len(list)
		list, c := ways(at, to, list)
		if len(list)-first > 1 {
			c |= legs.ChanceBound
		}
		return list, c
	}
}

// spreader moves amounts of traffic from routers to one destination, hop by hop, and adds up the
// loads on the way.
type spreader struct {
	*Mean
	ways   EvenWays
	amount []float64 // by router: the traffic that is there and has to go on
	place  []int32   // by router: its index in stops plus 1; 0: not visited yet; -1: being visited
	stops  []stop    // each router comes after all that it sends to
	list   []legs.Candidate
	chance legs.Chance
}

// stop is a router on the way to the destination, with the range of its next hops in spreader.list.
type stop struct{ router, first, end int32 } // its ways in list

func (m *Mean) newSpreader(ways EvenWays) *spreader {
	n := m.graph.Routers
	return &spreader{Mean: m, ways: ways, amount: make([]float64, n), place: make([]int32, n)}
}

// toward moves all amounts to router to, or only as far as routers for which done returns true, and
// calls arrive with the traffic that comes there. It returns false if the routes go in a cycle,
// depend on one another, or exceed the effort.
func (s *spreader) toward(
	from []int32, to int32, done func(router int32) bool, arrive func(router int32, amount float64),
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
	return sound && s.chance.Independent() && s.spend(int64(len(s.list)+1))
}

// pass sends the same amount, part, over each next hop of a stop.
func (s *spreader) pass(p stop, part float64) {
	g := s.graph
	for _, c := range s.list[p.first:p.end] {
		out := g.PortBase[p.router] + int32(c.Port)
		s.Load[out] += part
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
		var c legs.Chance
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
