package routing

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
	priceFrom(to[first:], v, s.address.flow.of(header), router)
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
	v.Queues(list)
}

// rankBits is the part of a cost that orders channels with equal queues.
const rankBits = 10

// rankSalt keeps the place at which a flow begins apart from other choices by the flow.
const rankSalt = 0x5bd1e995

// priceFrom is price, in which of equal queues that comes first which follows on a place
// in the list, and this is chosen by a hash: packets of different flows begin at different places.
func priceFrom(list []Candidate, v View, flow uint64, router int32) {
	if v == nil || len(list) == 0 {
		return
	}
	rank := len(list) - pick(flow^rankSalt, router, len(list))
	v.Queues(list)
	for i := range list {
		if rank == len(list) {
			rank = 0
		}
		list[i].Cost = list[i].Cost<<rankBits + int64(min(rank, 1<<rankBits-1))
		rank++
	}
}
