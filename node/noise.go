package node

import (
	"math/bits"

	"fabricast/internal/draw"
)

// Noise is what ranks lose to others on their processors, such as the operating system:
// every rank loses its processor again and again for a while. Loss k of a rank, counted
// from 0, begins at its phase + k*Every. A rank that computes or runs library code goes
// on when a loss ends; of a loss during a wait it notices only what lies behind the wait's end.
type Noise struct {
	Every       int64  // ps from the beginning of a loss to that of the next; 0: there is no noise
	Lose        int64  // ps that each loss takes, or takes in the mean; at most half of Every
	Exponential bool   // the lengths are exponentially distributed, but cut off at Every
	Aligned     bool   // the phase of all ranks is Every/2; otherwise each has its own, from 0 to Every-1, by chance
	Seed        uint64 // of what is left to chance
}

// phase is when a rank's first loss begins, in ps.
func (n *Noise) phase(rank int32) int64 {
	if n.Aligned {
		return n.Every / 2
	}
	hi, _ := bits.Mul64(mix(mix(n.Seed)+uint64(rank)+1), uint64(n.Every))
	return int64(hi)
}

// length is how long a loss takes, in ps.
func (n *Noise) length(rank int32, loss int64) int64 {
	if !n.Exponential {
		return n.Lose
	}
	random := mix(mix(mix(n.Seed^1)+uint64(rank)+1) + uint64(loss))
	return min(draw.Times(n.Lose, draw.NegLog(random|1)), n.Every)
}

// free is the first instant from t on at which a rank has its processor, and when the
// next loss begins after that.
func (n *Noise) free(rank int32, t int64) (from, next int64) {
	phase := n.phase(rank)
	if t < phase {
		return t, phase
	}
	loss := (t - phase) / n.Every
	begin := phase + loss*n.Every
	for {
		end := begin + n.length(rank, loss)
		begin += n.Every
		loss++
		if t = max(t, end); t < begin {
			return t, begin
		}
	}
}

// work is when d ps of work are done that a rank begins at t.
func (n *Noise) work(rank int32, t, d int64) int64 {
	if d <= 0 {
		return t
	}
	t, next := n.free(rank, t)
	if d <= next-t {
		return t + d
	}
	d -= next - t
	if !n.Exponential {
		// Periods that are all work and loss are alike.
		whole := (d - 1) / (n.Every - n.Lose)
		next += whole * n.Every
		d -= whole * (n.Every - n.Lose)
	}
	for {
		t, next = n.free(rank, next)
		if d <= next-t {
			return t + d
		}
		d -= next - t
	}
}

// right tells whether the noise makes sense.
func (n *Noise) right() bool { return n.Every >= 0 && n.Lose >= 0 && n.Lose <= n.Every/2 }
