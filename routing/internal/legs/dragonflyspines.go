package legs

import "fabricast/routing/internal/headers"

// spineLeg is minimal routing between any two routers of a dragonfly+, spines included. Hierarchies
// whose blocks have external ports at spines need it. Of the global links to the destination's
// group it takes one that makes the route shortest, as dragonflyLeg does.
//
// A route goes down to a leaf, up to a spine with such a link, across, down to a leaf, and up to
// the destination; each part may be missing. There are two channel classes: one for all hops up to
// and including the global link, one for the hops after it. So packets wait only in the order down,
// up, across in the first class, then down, up in the second. On a route within one group, hops
// down are of the second class and hops up before them of the first; a last hop up to a spine is of
// the second.
type spineLeg struct {
	*dragonflyPlusLeg
}

func (l spineLeg) Classes() int { return 2 }

func (l spineLeg) leaf(router int32) bool { return l.place(router) < l.leaves }

// near returns the number of hops between two routers of the same group: 0, 1 or 2.
func (l spineLeg) near(at, to int32) int {
	switch {
	case at == to:
		return 0
	case l.leaf(at) == l.leaf(to):
		return 2
	}
	return 1
}

// by returns the number of hops of the route from router at to router to over a global link.
func (l spineLeg) by(link *globalLink, at, to int32) int {
	return l.near(at, link.from) + 1 + l.near(link.into, to)
}

func (l spineLeg) Distance(at, to int32) int {
	a, b := l.of(at), l.of(to)
	if a == b {
		return l.near(at, to)
	}
	links := l.between(a, b)
	least := l.by(&links[0], at, to)
	for i := range links {
		least = min(least, l.by(&links[i], at, to))
	}
	return least
}

func (l spineLeg) Next(at, to int32, flow uint64) Hop {
	room := waysRoom.Get().(*[]Candidate)
	list := l.Ways(at, to, (*room)[:0])
	h := HopOf(list[headers.Pick(flow, at, len(list))])
	*room = list
	waysRoom.Put(room)
	return h
}

func (l spineLeg) Ways(at, to int32, list []Candidate) []Candidate {
	a, b := l.of(at), l.of(to)
	if a == b {
		return l.within(at, to, list)
	}
	links, least := l.between(a, b), l.Distance(at, to)
	down := false
	for i := range links {
		link := &links[i]
		switch {
		case l.by(link, at, to) != least:
		case link.from == at:
			list = append(list, Candidate{Port: link.port})
		case l.leaf(at):
			list = append(list, Candidate{Port: l.up(link)})
		case !down: // to any leaf
			down = true
			list = l.toLeaves(list, 0)
		}
	}
	return list
}

// within appends the next hops from one router to another of the same group.
func (l spineLeg) within(at, to int32, list []Candidate) []Candidate {
	switch {
	case l.leaf(at) && !l.leaf(to):
		return append(list, Candidate{Port: uint16(l.place(to) - l.leaves), VC: 1})
	case l.leaf(at):
		for s := range l.spines {
			list = append(list, Candidate{Port: uint16(s)})
		}
		return list
	case l.leaf(to):
		return append(list, Candidate{Port: uint16(l.place(to)), VC: 1})
	}
	return l.toLeaves(list, 1)
}

// toLeaves appends the hops down from a spine to each leaf, with the given channel class.
func (l spineLeg) toLeaves(list []Candidate, class uint16) []Candidate {
	for leaf := range uint16(l.leaves) {
		list = append(list, Candidate{Port: leaf, VC: class})
	}
	return list
}
