package routing

import "slices"

// Spreading is Direct with the choice among a leg's ways, and among the virtual
// channels of a class, made at every router by the shortest queue: adaptive routing
// up a tree, or over parallel links and equally long ways. It needs no escape
// channels, because the leg by itself is free of deadlock whichever way is taken.
type Spreading struct{ *Direct }

// StartPacket implements Adaptive.
func (s Spreading) StartPacket(src, dst int32, coin uint64) (uint64, uint8) {
	return s.enter(src, s.header(dst, coin, coin))
}

// Candidates implements Adaptive. The cost is the queue of the channel.
func (s Spreading) Candidates(router int32, header uint64, v View, to []Candidate) []Candidate {
	dst := int32(s.to.of(header))
	if router == dst {
		return append(to, s.leave(header))
	}
	first := len(to)
	to = s.lanes.spread(s.leg.ways(router, dst, to), first, 0, header)
	price(to[first:], v)
	rotate(to[first:], s.address.flow.of(header), router)
	return to
}

// leave is the way out of the network.
func (d *Direct) leave(header uint64) Candidate {
	return Candidate{Port: uint16(d.exit.of(header)), VC: d.lanes.vc(0, d.lane.of(header)), Header: header}
}

// price makes the queue of a candidate's channel its cost.
func price(list []Candidate, v View) {
	if v == nil {
		return
	}
	for i := range list {
		list[i].Cost = v.Queue(list[i].Port, list[i].VC)
	}
}

// rotate begins a list of candidates at one chosen by a hash, because among equal
// costs the first is taken.
func rotate(list []Candidate, flow uint64, router int32) {
	if len(list) < 2 {
		return
	}
	n := pick(flow^0x5bd1e995, router, len(list))
	slices.Reverse(list[:n])
	slices.Reverse(list[n:])
	slices.Reverse(list)
}
