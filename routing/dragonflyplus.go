package routing

import "fabricast/topology"

// dragonflyPlusLeg is minimal routing between the leaves of a dragonfly+
// (Shpiner, Haramaty, Eliad, Zdornov, Gafni and Zahavi, HiPINEB 2017): up to a spine, over its
// global link to the destination's group, and down; in the same group up to any
// spine and down. Of several spines or links a flow takes one by a hash. Waits go up,
// across and down, so one class is enough.
type dragonflyPlusLeg struct {
	groups
	net    *topology.DragonflyPlus
	leaves int32
	spines int
}

func newDragonflyPlusLeg(d *topology.DragonflyPlus) *dragonflyPlusLeg {
	return &dragonflyPlusLeg{newGroups(d), d, int32(d.Leaves()), d.Spines()}
}

func (l *dragonflyPlusLeg) classes() int { return 1 }

func (l *dragonflyPlusLeg) distance(at, to int32) int {
	switch {
	case at == to:
		return 0
	case l.of(at) == l.of(to):
		return 2
	}
	return 3
}

// place is the number of a router in its group, leaves first.
func (l *dragonflyPlusLeg) place(router int32) int32 { return router % l.size }

func (l *dragonflyPlusLeg) next(at, to int32, flow uint64) hop {
	a, b := l.of(at), l.of(to)
	leaf := l.place(at) < l.leaves
	switch {
	case a == b && !leaf:
		return hop{port: uint16(l.place(to))}
	case a == b:
		return hop{port: uint16(pick(flow, at, l.spines))}
	}
	links := l.between(a, b)
	if leaf {
		return hop{port: l.up(&links[pick(flow, at, len(links))])}
	}
	own := l.own(links, at)
	return hop{port: own[pick(flow, at, len(own))].port}
}

// up is a leaf's port to the spine with a global link.
func (l *dragonflyPlusLeg) up(link *globalLink) uint16 { return uint16(l.place(link.from) - l.leaves) }

// own are the links of one spine; they are next to one another.
func (l *dragonflyPlusLeg) own(links []globalLink, spine int32) []globalLink {
	first := 0
	for first < len(links) && links[first].from != spine {
		first++
	}
	end := first
	for end < len(links) && links[end].from == spine {
		end++
	}
	return links[first:end]
}

func (l *dragonflyPlusLeg) ways(at, to int32, list []Candidate) []Candidate {
	a, b := l.of(at), l.of(to)
	leaf := l.place(at) < l.leaves
	switch {
	case a == b && !leaf:
		return append(list, Candidate{Port: uint16(l.place(to))})
	case a == b:
		for s := range l.spines {
			list = append(list, Candidate{Port: uint16(s)})
		}
		return list
	}
	links := l.between(a, b)
	if !leaf {
		links = l.own(links, at)
	}
	for i := range links {
		port := links[i].port
		if leaf {
			port = l.up(&links[i])
		}
		list = append(list, Candidate{Port: port})
	}
	return list
}
