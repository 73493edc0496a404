package routing

import (
	"fabricast/routing/internal/headers"
	"fabricast/routing/internal/legs"
)

// Spreading is Direct with an adaptive choice: at every router a packet takes, of all minimal next
// hops and all virtual channels of their class, the one with the shortest queue. It serves as
// adaptive routing up a tree, and over parallel links and routes of equal length. It needs no
// escape channels, because all minimal routes of a leg together are free of deadlock.
type Spreading struct {
	*Direct
	row legs.RowLeg // its leg, if that is one
}

func newSpreading(d *Direct) Spreading {
	row, _ := d.leg.(legs.RowLeg)
	return Spreading{d, row}
}

// StartPacket returns a header with a random flow and choice. It implements Adaptive.
func (s Spreading) StartPacket(src, dst int32, coin uint64) (uint64, uint8) {
	return s.enter(src, s.address.Header(dst, coin, coin))
}

// Candidates implements Adaptive. The cost of a candidate is the queue of its channel.
func (s Spreading) Candidates(router int32, header uint64, v View, to []Candidate) []Candidate {
	dst := int32(s.address.To.Of(header))
	if router == dst {
		return append(to, s.leave(header))
	}
	first := len(to)
	to = s.channels.spread(s.leg.Ways(router, dst, to), first, 0, header)
	priceFrom(to[first:], v, s.address.Flow.Of(header), router)
	return to
}

// leave returns the output to the destination NIC.
func (d *Direct) leave(header uint64) Candidate {
	vc := d.channels.vc(0, d.address.Choice.Of(header))
	return Candidate{Port: uint16(d.address.Exit.Of(header)), VC: vc, Header: header}
}

// price sets the cost of each candidate to the queue of its channel. With a nil view it does
// nothing.
func price(list []Candidate, v View) {
	if v == nil {
		return
	}
	v.Queues(list)
}

// rankBits is the number of low bits of a cost that rank channels with equal queues.
const rankBits = 10

// rankSalt is mixed into a flow so that the ranking of channels is independent of the flow's other
// choices.
const rankSalt = 0x5bd1e995

// priceFrom is price with a rank to decide between equal queues. The candidates are ranked in the
// order of the list, cyclically from a place that a hash of the flow chooses, so different flows
// prefer different channels.
func priceFrom(list []Candidate, v View, flow uint64, router int32) {
	if v == nil || len(list) == 0 {
		return
	}
	rank := len(list) - headers.Pick(flow^rankSalt, router, len(list))
	v.Queues(list)
	for i := range list {
		if rank == len(list) {
			rank = 0
		}
		list[i].Cost = list[i].Cost<<rankBits + int64(min(rank, 1<<rankBits-1))
		rank++
	}
}
