package legs

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"fabricast/routing/internal/headers"
	"fabricast/topology"
)

// groups holds the global links between the groups of a dragonfly or dragonfly+.
type groups struct {
	count, size int32
	reciprocal  uint64       // 2^64/size, rounded up: exact for numbers below 2^32
	first       []int32      // by group*count+other: the first of the links between them
	links       []globalLink // links of one router between two groups are next to each other
	only        []onlyLink   // by group*count+other
}

// onlyLink is the link between two groups that have only one, in few enough bytes that the links of
// large networks stay in the cache.
type onlyLink struct {
	from, port uint16 // number in its group of the router that has it, and the port there
	is         bool   // they have only one
}

type globalLink struct {
	from, into int32 // routers at its ends
	port       uint16
}

// grouped is a topology whose routers form groups joined by global links.
type grouped interface {
	Graph() *topology.Graph
	Groups() int
	GroupSize() int
	GlobalLinks(group, other int) int
	GlobalLink(group, other, i int) (router, port int)
}

func newGroups(t grouped) groups {
	n, g := t.Groups(), t.Graph()
	s := groups{count: int32(n), size: int32(t.GroupSize()), first: make([]int32, 0, n*n+1)}
	s.reciprocal = math.MaxUint64/uint64(s.size) + 1
	for group := range n {
		for other := range n {
			s.first = append(s.first, int32(len(s.links)))
			if group == other {
				continue
			}
			for i := range t.GlobalLinks(group, other) {
				router, port := t.GlobalLink(group, other, i)
				into := g.PeerRouter(int(g.PortBase[router]) + port)
				s.links = append(s.links, globalLink{from: int32(router), into: int32(into), port: uint16(port)})
			}
			links := s.links[s.first[len(s.first)-1]:]
			slices.SortStableFunc(links, func(a, b globalLink) int { return cmp.Compare(a.from, b.from) })
		}
	}
	s.first = append(s.first, int32(len(s.links)))
	s.only = make([]onlyLink, n*n)
	for i := range s.only {
		if links := s.links[s.first[i]:s.first[i+1]]; len(links) == 1 && s.size <= math.MaxUint16 {
			s.only[i] = onlyLink{from: uint16(links[0].from % s.size), port: links[0].port, is: true}
		}
	}
	return s
}

// of returns the group of a router.
func (s *groups) of(router int32) int32 {
	if s.size == 1 {
		return router
	}
	group, _ := bits.Mul64(uint64(uint32(router)), s.reciprocal)
	return int32(group)
}

// between returns the links from one group to another.
func (s *groups) between(group, other int32) []globalLink {
	i := group*s.count + other
	return s.links[s.first[i]:s.first[i+1]]
}

// extra returns how many hops within groups (0 to 2) a route between two routers needs if it uses
// this link.
func (l *globalLink) extra(at, to int32) int {
	hops := 0
	if l.from != at {
		hops++
	}
	if l.into != to {
		hops++
	}
	return hops
}

// best returns how many of the links give a shortest route between two routers, and how many hops
// within groups such a route has.
func best(links []globalLink, at, to int32) (n, extra int) {
	extra = 3
	for i := range links {
		switch e := links[i].extra(at, to); {
		case e < extra:
			n, extra = 1, e
		case e == extra:
			n++
		}
	}
	return n, extra
}

// dragonflyLeg is minimal routing on a dragonfly (Kim, Dally, Scott and Abts, ISCA 2008): within
// the source group to a router with a global link to the destination's group, over that link, and
// within that group to the destination. Of several global links it takes one that makes the route
// shortest; among equals a hash chooses.
//
// It has two channel classes: one up to and including the global link, and one in the destination's
// group.
type dragonflyLeg struct {
	groups
}

var _ = register(func(d *topology.Dragonfly, _ Ends) (Leg, error) { return newDragonflyLeg(d), nil })

func newDragonflyLeg(d *topology.Dragonfly) *dragonflyLeg { return &dragonflyLeg{newGroups(d)} }

func (l *dragonflyLeg) Classes() int { return 2 }

func (l *dragonflyLeg) Distance(at, to int32) int {
	a, b := l.of(at), l.of(to)
	switch {
	case at == to:
		return 0
	case a == b:
		return 1
	}
	_, extra := best(l.between(a, b), at, to)
	return 1 + extra
}

// local returns the port of router at that leads to another router of the same group.
func (l *dragonflyLeg) local(at, to int32) uint16 {
	port := uint16(to - l.of(to)*l.size)
	if to > at {
		port--
	}
	return port
}

func (l *dragonflyLeg) toward(at int32, link *globalLink) Hop {
	if link.from == at {
		return Hop{Port: link.port}
	}
	return Hop{Port: l.local(at, link.from)}
}

// toward returns the next hop to the link from the router with a number in its group.
func (o *onlyLink) toward(own uint16) Hop {
	switch {
	case own == o.from:
		return Hop{Port: o.port}
	case own < o.from:
		return Hop{Port: o.from - 1}
	}
	return Hop{Port: o.from}
}

func (l *dragonflyLeg) Next(at, to int32, flow uint64) Hop {
	a, b := l.of(at), l.of(to)
	if a == b {
		return Hop{Port: l.local(at, to), Class: 1}
	}
	if o := &l.only[a*l.count+b]; o.is {
		return o.toward(uint16(at - a*l.size))
	}
	return l.toward(at, l.link(l.between(a, b), at, to, flow))
}

// link returns the one of the links to another group that a flow's packets to a router of it take.
func (l *dragonflyLeg) link(links []globalLink, at, to int32, flow uint64) *globalLink {
	if len(links) == 1 {
		return &links[0]
	}
	n, extra := best(links, at, to)
	chosen := headers.Pick(flow, at, n)
	for i := range links {
		if links[i].extra(at, to) != extra {
			continue
		}
		if chosen == 0 {
			return &links[i]
		}
		chosen--
	}
	panic("routing: two groups without a global link")
}

func (l *dragonflyLeg) Ways(at, to int32, list []Candidate) []Candidate {
	a, b := l.of(at), l.of(to)
	if a == b {
		return append(list, Candidate{Port: l.local(at, to), VC: 1})
	}
	if o := &l.only[a*l.count+b]; o.is {
		return append(list, o.toward(uint16(at-a*l.size)).Way())
	}
	links := l.between(a, b)
	_, extra := best(links, at, to)
	for i := range links {
		if links[i].extra(at, to) == extra {
			list = append(list, l.toward(at, &links[i]).Way())
		}
	}
	return list
}

// Region returns the group of a router: the detours of Valiant routing lead to a group, not to one
// router.
func (l *dragonflyLeg) Region(router int32) int32 { return l.of(router) }

// DetourClasses returns 1: a detour ends with the global link into the group.
func (l *dragonflyLeg) DetourClasses() int { return 1 }

// Enter goes over one global link, at whose router packets choose again among the links there.
func (l *dragonflyLeg) Enter(at, to int32, flow uint64) (first int32, hops int) {
	links := l.between(l.of(at), l.of(to))
	link := l.link(links, at, to, flow)
	if link.from == at {
		return link.into, 1
	}
	return l.link(links, link.from, to, flow).into, 2
}
