package routing

import "errors"

// share lets packets of class 1 use the last `shared` channels of class 0 too. The channels that
// only one class uses are escape channels: they are offered wherever a packet may take a shared
// one, and they form no cycle (Duato, IEEE Trans. Parallel and Distributed Systems 1993). For this
// a packet must be free to take any of its channels at every router, so share fails unless c is
// ChoiceQueue. It also fails on networks without rings, and if class 0 would keep no channel of its
// own.
func (d *DOR) share(shared int, c Choice) error {
	if shared == 0 {
		return nil
	}
	if d.classFirst[1] == 0 || shared < 0 || uint64(shared) >= d.classVCs[0] {
		return errors.New(
			"virtual channels that both dateline classes share: want rings, and a further one in class 0",
		)
	}
	if c != ChoiceQueue {
		return errors.New(
			"virtual channels that both dateline classes share: want choice queue, for packets kept " +
				"to one would wait for one another in a cycle",
		)
	}
	d.shared = uint64(shared)
	d.classVCs[0] -= d.shared
	return nil
}

// span returns the channels that a packet of a class may take, shared ones included: the first one
// and their number.
func (d *DOR) span(class uint64) (first, count uint64) {
	return d.classFirst[class] - class*d.shared, d.classVCs[class] + d.shared
}

// candidate returns the candidate for channel vc of a packet of a class. If some channels are
// shared, those that are not are marked as escape channels.
func (d *DOR) candidate(class uint64, port uint16, vc, next uint64) Candidate {
	own := vc-d.classFirst[class] < d.classVCs[class] // also false below the first
	return Candidate{Port: port, VC: uint16(vc), Escape: own && d.shared > 0, Header: next}
}

// channelsOf appends the candidates for all channels of a port that a packet of a class may take.
func (d *DOR) channelsOf(class uint64, port uint16, next uint64, to []Candidate) []Candidate {
	first, count := d.span(class)
	for vc := range count {
		to = append(to, d.candidate(class, port, first+vc, next))
	}
	return to
}
