package legs

import (
	"fabricast/routing/internal/headers"
	"fabricast/topology"
)

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

var _ = register(func(d *topology.DragonflyPlus, between Ends) (Leg, error) {
	return newDragonflyPlusLeg(d, between), nil
})

func newDragonflyPlusLeg(d *topology.DragonflyPlus, between Ends) Leg {
	l := &dragonflyPlusLeg{newGroups(d), int32(d.Leaves()), d.Spines()}
	if between == AnyEnds {
		return spineLeg{l}
	}
	return l
}

func (l *dragonflyPlusLeg) Classes() int { return 1 }

func (l *dragonflyPlusLeg) Distance(at, to int32) int {
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

func (l *dragonflyPlusLeg) Next(at, to int32, flow uint64) Hop {
	a, b := l.of(at), l.of(to)
	leaf := l.place(at) < l.leaves
	switch {
	case a == b && !leaf:
		return Hop{Port: uint16(l.place(to))}
	case a == b:
		return Hop{Port: uint16(headers.Pick(flow, at, l.spines))}
	}
	links := l.between(a, b)
	if leaf {
		return Hop{Port: l.up(&links[headers.Pick(flow, at, len(links))])}
	}
	own := l.own(links, at)
	return Hop{Port: own[headers.Pick(flow, at, len(own))].port}
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

func (l *dragonflyPlusLeg) Ways(at, to int32, list []Candidate) []Candidate {
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
