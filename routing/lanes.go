package routing

import (
	"fmt"
	"slices"
)

// lanes divides the virtual channels of a port among the classes of an
// algorithm: as evenly as possible, lower classes first in number and in size.
// The channels of a class are alike, and packets are spread over them.
type lanes struct {
	classes      int
	first, count [MaxVCs]uint8
	channel      [MaxVCs << laneBits]uint8 // by class and lane
}

// newLanes fails with fewer channels than classes, naming what they are for.
func newLanes(vcs, classes int, algorithm string) (*lanes, error) {
	if vcs < classes {
		return nil, &TooFewVCsError{Algorithm: algorithm, Need: classes, Have: vcs}
	}
	if vcs > MaxVCs {
		return nil, fmt.Errorf("at most %d virtual channels, not %d", MaxVCs, vcs)
	}
	l := &lanes{classes: classes}
	next := 0
	for c := range classes {
		l.first[c], l.count[c] = uint8(next), uint8(vcs/classes)
		if c < vcs%classes {
			l.count[c]++
		}
		next += int(l.count[c])
		for lane := range MaxVCs {
			l.channel[c<<laneBits|lane] = l.first[c] + uint8(lane)%l.count[c]
		}
	}
	return l, nil
}

// vc is the channel of a class that a lane takes.
func (l *lanes) vc(class uint16, lane uint64) uint16 {
	return uint16(l.channel[uint64(class&(MaxVCs-1))<<laneBits|lane&(MaxVCs-1)])
}

// each appends a candidate for every channel of a hop's class.
func (l *lanes) each(h hop, header uint64, to []Candidate) []Candidate {
	first := uint16(l.first[h.class])
	for i := range uint16(l.count[h.class]) {
		to = append(to, Candidate{Port: h.port, VC: first + i, Header: header})
	}
	return to
}

// spread replaces the ways at the end of a list, from first on, by a candidate
// for every channel of their classes, which begin at the given class.
func (l *lanes) spread(list []Candidate, first int, class uint16, header uint64) []Candidate {
	ways := len(list)
	for i := first; i < ways; i++ {
		h := list[i].hop()
		h.class += class
		list = l.each(h, header, list)
	}
	return slices.Delete(list, first, ways)
}

// TooFewVCsError says that an algorithm needs more virtual channels to be free of deadlock.
type TooFewVCsError struct {
	Algorithm  string
	Need, Have int
}

func (e *TooFewVCsError) Error() string {
	return fmt.Sprintf("%s on this network needs at least %d virtual channels to be free of deadlock, not %d", e.Algorithm, e.Need, e.Have)
}
