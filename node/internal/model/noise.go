package model

import (
	"math/bits"

	"fabricast/internal/dist"
	"fabricast/internal/units"
)

// Noise is the time that ranks lose to others on their processors, such as the operating system.
// Every rank loses its processor once a period. Loss k of a rank, counted from 0, begins at its
// phase + k*Every. A rank that computes or runs library code goes on when a loss ends. A loss
// during a wait delays it only if the loss ends after the wait.
type Noise struct {
	Every       units.Time // from the beginning of a loss to that of the next; 0: there is no noise
	Lose        units.Time // that each loss takes, or takes in the mean; at most half of Every
	Exponential bool       // the lengths are exponentially distributed, but cut off at Every
	// all ranks have the phase Every/2; otherwise each has a random phase of 0 to Every-1
	Aligned bool
	Seed    uint64 // of what is left to chance
}

// phase returns when a rank's first loss begins (ps).
func (n *Noise) phase(rank int32) int64 {
	if n.Aligned {
		return int64(n.Every / 2)
	}
	hi, _ := bits.Mul64(Mix(Mix(n.Seed)+uint64(rank)+1), uint64(n.Every))
	return int64(hi)
}

// length returns how long a loss takes (ps).
func (n *Noise) length(rank int32, loss int64) int64 {
	if !n.Exponential {
		return int64(n.Lose)
	}
	random := Mix(Mix(Mix(n.Seed^1)+uint64(rank)+1) + uint64(loss))
	return min(dist.Times(int64(n.Lose), dist.NegLog(random|1)), int64(n.Every))
}

// Free returns the first time from t on at which a rank has its processor, and when the next loss
// begins after it (ps).
func (n *Noise) Free(rank int32, t int64) (from, next int64) {
	phase := n.phase(rank)
	if t < phase {
		return t, phase
	}
	every := int64(n.Every)
	loss := (t - phase) / every
	begin := phase + loss*every
	for {
		end := begin + n.length(rank, loss)
		begin += every
		loss++
		if t = max(t, end); t < begin {
			return t, begin
		}
	}
}

// Work returns when d ps of work are done that a rank begins at t (ps).
func (n *Noise) Work(rank int32, t, d int64) int64 {
	if d <= 0 {
		return t
	}
	t, next := n.Free(rank, t)
	if d <= next-t {
		return t + d
	}
	d -= next - t
	if !n.Exponential {
		// Periods that are all work and loss are alike.
		every, work := int64(n.Every), int64(n.Every-n.Lose)
		whole := (d - 1) / work
		next += whole * every
		d -= whole * work
	}
	for {
		t, next = n.Free(rank, next)
		if d <= next-t {
			return t + d
		}
		d -= next - t
	}
}

// Valid reports whether the parameters are valid.
func (n *Noise) Valid() bool { return n.Every >= 0 && n.Lose >= 0 && n.Lose <= n.Every/2 }

// Mix returns a bijection of 64-bit words in which every input bit reaches every output bit.
func Mix(x uint64) uint64 {
	x = (x ^ x>>32) * 0xd6e8feb86659fd93
	x = (x ^ x>>32) * 0x9e3779b97f4a7c15
	return x ^ x>>29
}
