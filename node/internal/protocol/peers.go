package protocol

import (
	"unsafe"

	"fabricast/node/internal/core"
	"fabricast/node/internal/model"
)

// Peers holds, for each rank of a block, the ranks for which it has buffers, if Spec.Peers is set.
type Peers struct {
	most  int
	Known []int32 // world ranks: `most` entries for each slot
	Count []int32 // by slot: number of entries in use
}

func NewPeers(w *core.Shared, ranks int) Peers {
	if w.Spec.Peers == 0 {
		return Peers{}
	}
	// a rank never needs more than all other ranks
	most := min(w.Spec.Peers, max(1, len(w.Spec.HostOf)-1))
	return Peers{most: most, Known: make([]int32, ranks*most), Count: make([]int32, ranks)}
}

// Meet reports whether the rank in a slot has buffers for rank other. If it may have buffers for
// one more rank, Meet adds other.
func (p *Peers) Meet(slot, other int32) bool {
	first := int(slot) * p.most
	n := int(p.Count[slot])
	for _, known := range p.Known[first : first+n] {
		if known == other {
			return true
		}
	}
	if n == p.most {
		return false
	}
	p.Known[first+n] = other
	p.Count[slot]++
	return true
}

// ForecastPeers returns the memory in bytes of the lists of peers of the given number of ranks.
func ForecastPeers(s *model.Spec, ranks int) int64 {
	if s.Peers == 0 {
		return 0
	}
	places := int64(min(s.Peers, max(1, ranks-1))) + 1
	return int64(ranks) * places * int64(unsafe.Sizeof(int32(0)))
}
