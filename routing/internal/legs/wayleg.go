package legs

import (
	"cmp"
	"slices"
)

// wayLeg lets adaptive algorithms choose among the next hops of minimal routing where these are not
// dimensions: among global links, or exits of blocks.
type wayLeg struct{ Leg }

// ByWays returns a leg as an AdaptiveLeg if its network has no dimensions but several minimal
// routes.
func ByWays(l Leg) (AdaptiveLeg, bool) {
	switch l.(type) {
	case *dragonflyLeg, *dragonflyPlusLeg, *Hierarchy:
		return wayLeg{l}, true
	}
	return nil, false
}

// Productive appends each port of a minimal route once, in ascending order. It implements
// AdaptiveLeg.
func (w wayLeg) Productive(at, to int32, list []Candidate) []Candidate {
	first := len(list)
	list = w.Ways(at, to, list)
	slices.SortStableFunc(list[first:], func(a, b Candidate) int { return cmp.Compare(a.Port, b.Port) })
	same := func(a, b Candidate) bool { return a.Port == b.Port }
	return list[:first+len(slices.CompactFunc(list[first:], same))]
}

// Ports returns the ports of minimal routes as a bitmap; 0 if one is beyond the 64th. It implements
// AdaptiveLeg.
func (w wayLeg) Ports(at, to int32) (ports uint64) {
	room := waysRoom.Get().(*[]Candidate)
	list := w.Ways(at, to, (*room)[:0])
	for i := range list {
		if list[i].Port >= 64 {
			ports = 0
			break
		}
		ports |= 1 << list[i].Port
	}
	*room = list
	waysRoom.Put(room)
	return ports
}
