package routing

import "fabricast/routing/internal/headers"

// dimensionOrder is dimension-order routing: DOR itself, or DOR with a scheme for virtual channels.
type dimensionOrder interface {
	Function
	Outliner
	base() *DOR
	// start is Start with a given hash. Its bits choose the virtual channels, and the direction
	// where both directions round a ring are equally long.
	start(src, dst int32, flow uint64) (uint64, uint8)
}

func (d *DOR) base() *DOR { return d }

// chosen returns dimension-order routing with the given choice of virtual channels: fixed for each
// pair of hosts, random for each packet, or by queue length at each router.
func chosen(d dimensionOrder, c Choice) Algorithm {
	switch c {
	case ChoicePacket:
		return dorPacket{d}
	case ChoiceQueue:
		return dorQueue{d}
	}
	return d
}

// dorPacket is dimension-order routing with random choices for every packet: of the virtual
// channels, and of the direction where both directions round a ring are equally long.
type dorPacket struct{ dimensionOrder }

// StartPacket returns the header by which the packet's coin decides. It implements Randomized.
func (d dorPacket) StartPacket(src, dst int32, coin uint64) (uint64, uint8) {
	return d.start(src, dst, headers.Mix(coin))
}

// dorQueue is dimension-order routing in which a packet takes, at every router, the virtual channel
// with the shortest queue among those of its class.
type dorQueue struct{ dimensionOrder }

// StartPacket returns a header whose first channel depends on the coin. It implements Adaptive.
func (d dorQueue) StartPacket(src, dst int32, coin uint64) (uint64, uint8) {
	return d.start(src, dst, headers.Mix(coin))
}

// Candidates implements Adaptive. It appends the channels of the packet's class, starting with the
// one that the header names, because the first of equal cost is taken.
func (d dorQueue) Candidates(router int32, header uint64, v View, to []Candidate) []Candidate {
	port, vc, next := d.Next(router, header)
	if header&dorHopMask == 0 {
		return append(to, Candidate{Port: port, VC: vc, Header: next})
	}
	dor := d.base()
	class := uint64(0)
	if uint64(vc) >= dor.classVCs[0] && dor.classFirst[1] > 0 {
		class = 1
	}
	first, count := dor.span(class)
	begin := len(to)
	for i := range count {
		to = append(to, dor.candidate(class, port, first+(uint64(vc)-first+i)%count, next))
	}
	price(to[begin:], v)
	return to
}
