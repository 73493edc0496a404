package routing

import (
	"slices"

	"fabricast/routing/internal/headers"
	"fabricast/routing/internal/legs"
)

// vcClasses divides the virtual channels of a port among the channel classes of an algorithm, as evenly
// as possible; lower classes get the lower numbers and any surplus. Packets are spread evenly over
// the channels of a class.
type vcClasses struct {
	classes      int
	first, count [MaxVCs]uint8
	channel      [MaxVCs << headers.ChannelBits]uint8 // by class and choice
}

// newVCClasses returns the division of vcs virtual channels among classes. It fails with a
// TooFewVCsError if there are fewer channels than classes, and if there are more than MaxVCs.
func newVCClasses(vcs, classes int, algorithm string) (*vcClasses, error) {
	if err := enoughChannels(vcs, classes, algorithm); err != nil {
		return nil, err
	}
	l := &vcClasses{classes: classes}
	next := 0
	for c := range classes {
		l.first[c], l.count[c] = uint8(next), uint8(vcs/classes)
		if c < vcs%classes {
			l.count[c]++
		}
		next += int(l.count[c])
		for choice := range MaxVCs {
			l.channel[c<<headers.ChannelBits|choice] = l.first[c] + uint8(choice)%l.count[c]
		}
	}
	return l, nil
}

// vc returns the virtual channel of a class that a choice stands for.
func (l *vcClasses) vc(class uint16, choice uint64) uint16 {
	return uint16(l.channel[uint64(class&(MaxVCs-1))<<headers.ChannelBits|choice&(MaxVCs-1)])
}

// each appends a candidate for every virtual channel of a hop's class.
func (l *vcClasses) each(h legs.Hop, header uint64, to []Candidate) []Candidate {
	first := uint16(l.first[h.Class])
	for i := range uint16(l.count[h.Class]) {
		to = append(to, Candidate{Port: h.Port, VC: first + i, Header: header})
	}
	return to
}

// spread replaces the hops at the end of a list, from index first on, by a candidate for every
// virtual channel of their classes. The number class is added to the class of each hop.
func (l *vcClasses) spread(list []Candidate, first int, class uint16, header uint64) []Candidate {
	ways := len(list)
	if l.single() {
		for i := first; i < ways; i++ {
			list[i].VC, list[i].Header = uint16(l.first[list[i].VC+class]), header
		}
		return list
	}
	for i := first; i < ways; i++ {
		h := legs.HopOf(list[i])
		h.Class += class
		list = l.each(h, header, list)
	}
	return slices.Delete(list, first, ways)
}

// single reports whether each class has one virtual channel.
func (l *vcClasses) single() bool {
	return int(l.first[l.classes-1]) == l.classes-1 && l.count[l.classes-1] == 1
}
