package collective

import "math/bits"

// fold reduces a number of ranks to a power of two, as Thakur, Rabenseifner and Gropp (2005) do for
// recursive doubling and halving. With extra = ranks - pow2, the first 2*extra ranks form pairs.
// The odd rank of each pair takes part for both; the even rank is idle. So the order of ranks is
// kept. A place is the number of a rank among those that take part.
type fold struct {
	pow2  int // largest power of two that is at most the number of ranks
	extra int // ranks beyond it
}

func newFold(ranks int) fold {
	pow2 := 1 << (bits.Len(uint(ranks)) - 1)
	return fold{pow2: pow2, extra: ranks - pow2}
}

// log2 returns ceil(log2 p), the number of rounds of an algorithm that doubles.
func log2(p int) int { return bits.Len(uint(p - 1)) }

// paired reports whether a rank belongs to a pair.
func (f fold) paired(rank int) bool { return rank < 2*f.extra }

// idle reports whether a rank leaves its part to the next rank.
func (f fold) idle(rank int) bool { return f.paired(rank) && rank%2 == 0 }

// place returns the place (0 to pow2-1) of a rank that takes part.
func (f fold) place(rank int) int {
	if f.paired(rank) {
		return rank / 2
	}
	return rank - f.extra
}

// rank returns the rank at a place.
func (f fold) rank(place int) int {
	if place < f.extra {
		return 2*place + 1
	}
	return place + f.extra
}

// first returns the lowest rank that a place stands for. Places stand for consecutive ranks, so
// places a to b-1 stand for the ranks first(a) to first(b)-1.
func (f fold) first(place int) int { return place + min(place, f.extra) }
