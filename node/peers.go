package node

import "unsafe"

// peers holds the ranks that the ranks of a block have buffers for, with Spec.Peers.
type peers struct {
	most  int
	known []int32 // world ranks: `most` places for each slot
	count []int32 // by slot: how many of its places are taken
}

func newPeers(w *shared, ranks int) peers {
	if w.spec.Peers == 0 {
		return peers{}
	}
	// more than all other ranks are never needed
	most := min(w.spec.Peers, max(1, len(w.spec.HostOf)-1))
	return peers{most: most, known: make([]int32, ranks*most), count: make([]int32, ranks)}
}

// meet reports whether the rank in a slot has buffers for another one. If there is room for one
// more rank it gets them now.
func (p *peers) meet(slot, other int32) bool {
	first := int(slot) * p.most
	n := int(p.count[slot])
	for _, known := range p.known[first : first+n] {
		if known == other {
			return true
		}
	}
	if n == p.most {
		return false
	}
	p.known[first+n] = other
	p.count[slot]++
	return true
}

// ForecastPeers returns the memory (bytes) of the lists of peers of so many ranks.
func ForecastPeers(s *Spec, ranks int) int64 {
	if s.Peers == 0 {
		return 0
	}
	places := int64(min(s.Peers, max(1, ranks-1))) + 1
	return int64(ranks) * places * int64(unsafe.Sizeof(int32(0)))
}
