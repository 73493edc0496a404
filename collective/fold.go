package collective

import "math/bits"

// fold brings a number of ranks down to a power of two, as Thakur, Rabenseifner
// and Gropp (2005) do for recursive doubling and halving: with extra = ranks -
// pow2, the first 2*extra ranks pair up, and of each pair only the odd rank
// takes part, for both. So the order of ranks is kept.
type fold struct {
	pow2  int // largest power of two that is at most the number of ranks
	extra int // ranks beyond it
}

func newFold(ranks int) fold {
	pow2 := 1 << (bits.Len(uint(ranks)) - 1)
	return fold{pow2: pow2, extra: ranks - pow2}
}

// log2 is the number of rounds of an algorithm that doubles: ceil(log2 p).
func log2(p int) int { return bits.Len(uint(p - 1)) }

// paired tells whether a rank belongs to a pair.
func (f fold) paired(rank int) bool { return rank < 2*f.extra }

// idle tells whether a rank leaves its part to the next rank.
func (f fold) idle(rank int) bool { return f.paired(rank) && rank%2 == 0 }

// place numbers the ranks that take part from 0 to pow2-1.
func (f fold) place(rank int) int {
	if f.paired(rank) {
		return rank / 2
	}
	return rank - f.extra
}

// rank is the rank at a place.
func (f fold) rank(place int) int {
	if place < f.extra {
		return 2*place + 1
	}
	return place + f.extra
}

// first is the lowest rank for which a place stands; places stand for
// consecutive ranks, so the ranks of places a to b-1 are first(a) to first(b)-1.
func (f fold) first(place int) int { return place + min(place, f.extra) }
