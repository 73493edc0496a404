package dumpi

import (
	"slices"

	"fabricast/trace"
)

// group returns the world ranks of the group that call c of a rank creates; nil if unknown.
func (r *resolver) group(rank int32, c *call) []int32 {
	m := &r.ranks[rank]
	of := func(i int) []int32 { return m.groups[uint16(c.ints[i])] }
	switch c.function {
	case commGroup:
		switch g, found := m.comms[uint16(c.ints[0])]; {
		case found && g == trace.Self:
			return []int32{rank}
		case found && g >= 0:
			return r.members(g)
		}
	case groupUnion:
		list := slices.Clone(of(0))
		return append(list, without(of(1), list)...)
	case groupIntersect:
		return without(of(0), without(of(0), of(1)))
	case groupDifference:
		return without(of(0), of(1))
	case groupIncl:
		return picked(of(0), c.lists[0])
	case groupExcl:
		return without(of(0), picked(of(0), c.lists[0]))
	case groupRangeIncl:
		return picked(of(0), ranges(c.lists[0], len(of(0))))
	case groupRangeExcl:
		return without(of(0), picked(of(0), ranges(c.lists[0], len(of(0)))))
	}
	return nil
}

// without returns the elements of list that are not in others, in the order of list.
func without(list, others []int32) (rest []int32) {
	out := make(map[int32]bool, len(others))
	for _, r := range others {
		out[r] = true
	}
	for _, r := range list {
		if !out[r] {
			rest = append(rest, r)
		}
	}
	return rest
}

// picked returns the elements of list at the given indices. It ignores invalid indices.
func picked(list, places []int32) (some []int32) {
	for _, p := range places {
		if p >= 0 && int(p) < len(list) {
			some = append(some, list[p])
		}
	}
	return some
}

// ranges returns the indices from 0 to n-1 in the ranges that triples lists, each as first, last
// and step.
func ranges(triples []int32, n int) (list []int32) {
	for ; len(triples) >= 3; triples = triples[3:] {
		first, last, step := int64(triples[0]), int64(triples[1]), int64(triples[2])
		within := func(at int64) bool {
			return at >= 0 && at < int64(n) && (step > 0 && at <= last || step < 0 && at >= last)
		}
		for at := first; within(at) && len(list) < n; at += step {
			list = append(list, int32(at))
		}
	}
	return list
}
