package routing

// dorPacket is DOR with channels, and the way round where both are equally long,
// drawn for every packet.
type dorPacket struct{ *DOR }

// StartPacket implements Randomized.
func (d dorPacket) StartPacket(src, dst int32, coin uint64) (uint64, uint8) {
	return d.start(src, dst, mix(coin))
}

// dorQueue is DOR in which a packet takes, of the channels of its class, the one
// with the shortest queue, at every router anew.
type dorQueue struct{ *DOR }

// StartPacket implements Adaptive.
func (d dorQueue) StartPacket(src, dst int32, coin uint64) (uint64, uint8) {
	return d.start(src, dst, mix(coin))
}

// Candidates implements Adaptive. Of equal costs the first counts, so the list
// begins at the channel that the packet's header names.
func (d dorQueue) Candidates(router int32, header uint64, v View, to []Candidate) []Candidate {
	port, vc, next := d.Next(router, header)
	if header&dorHopMask == 0 {
		return append(to, Candidate{Port: port, VC: vc, Header: next})
	}
	class := 0
	if uint64(vc) >= d.classVCs[0] && d.classFirst[1] > 0 {
		class = 1
	}
	first, count := d.classFirst[class], d.classVCs[class]
	begin := len(to)
	for i := range count {
		to = append(to, Candidate{Port: port, VC: uint16(first + (uint64(vc)-first+i)%count), Header: next})
	}
	price(to[begin:], v)
	return to
}
