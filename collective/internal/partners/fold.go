package partners

import "math/bits"

// Fold reduces a number of ranks to a power of two, as Thakur, Rabenseifner and Gropp (2005) do for
// recursive doubling and halving. With extra = ranks - pow2, the first 2*extra ranks form pairs.
// The odd rank of each pair takes part on behalf of both, and the even rank is idle. The order of
// ranks is thus preserved. A place is the number of a rank among those that take part.
type Fold struct {
	Pow2  int // largest power of two that is at most the number of ranks
	Extra int // number of ranks beyond Pow2
}

// NewFold returns the Fold for the given number of ranks.
func NewFold(ranks int) Fold {
	pow2 := 1 << (bits.Len(uint(ranks)) - 1)
	return Fold{Pow2: pow2, Extra: ranks - pow2}
}

// Log2 returns ceil(log2 p), the number of rounds of an algorithm that doubles a distance in each
// round.
func Log2(p int) int { return bits.Len(uint(p - 1)) }

// Paired reports whether a rank belongs to a pair.
func (f Fold) Paired(rank int) bool { return rank < 2*f.Extra }

// Idle reports whether a rank is idle: the next rank takes part on its behalf.
func (f Fold) Idle(rank int) bool { return f.Paired(rank) && rank%2 == 0 }

// Place returns the place (0 to pow2-1) of a rank that takes part.
func (f Fold) Place(rank int) int {
	if f.Paired(rank) {
		return rank / 2
	}
	return rank - f.Extra
}

// Rank returns the rank at a place.
func (f Fold) Rank(place int) int {
	if place < f.Extra {
		return 2*place + 1
	}
	return place + f.Extra
}

// First returns the lowest rank that a place stands for. Places stand for consecutive ranks, so
// places a to b-1 stand for ranks First(a) to First(b)-1.
func (f Fold) First(place int) int { return place + min(place, f.Extra) }
