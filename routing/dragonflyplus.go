package routing

import "fabricast/topology"

// dragonflyPlusLeg is minimal routing between the leaves of a dragonfly+ (Shpiner, Haramaty, Eliad,
// Zdornov, Gafni and Zahavi, HiPINEB 2017). Between groups a packet goes up to a spine, over that
// spine's global link to the destination's group, and down; within a group it goes up to any spine
// and down. Where there are several spines or links, a hash of the flow chooses.
//
// Packets wait only for channels in the order up, across, down, so one channel class is enough.
type dragonflyPlusLeg struct {
	groups
	leaves int32
	spines int
}

var _ = registerLeg(func(d *topology.DragonflyPlus, between ends) (leg, error) {
	return newDragonflyPlusLeg(d, between), nil
})

func newDragonflyPlusLeg(d *topology.DragonflyPlus, between ends) leg {
	l := &dragonflyPlusLeg{newGroups(d), int32(d.Leaves()), d.Spines()}
	if between == anyEnds {
		return spineLeg{l}
	}
	return l
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

// place returns the number of a router in its group. Leaves come before spines.
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

// up returns the port of a leaf that leads to the spine of a global link.
func (l *dragonflyPlusLeg) up(link *globalLink) uint16 { return uint16(l.place(link.from) - l.leaves) }

// own returns the links that belong to one spine. They must be next to each other in the list.
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
