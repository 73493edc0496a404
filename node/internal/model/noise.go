package model

import (
	"math/bits"

	"fabricast/internal/dist"
	"fabricast/internal/units"
)

// Noise is the time that ranks lose to other processes on their processors, such as the operating
// system. Every rank loses its processor once a period. Loss k of a rank, counted from 0, starts at
// its phase + k*Every. A rank that computes or runs library code continues when a loss ends. A loss
// during a wait delays the rank only if it ends after the wait.
type Noise struct {
	// time from the start of one loss to the start of the next; 0: there is no noise
	Every       units.Time
	Lose        units.Time // duration of each loss, or its mean; at most half of Every
	Exponential bool       // the durations are exponentially distributed, but at most Every
	// Aligned: all ranks have the phase Every/2. Otherwise each rank has a random phase from 0 to
	// Every-1.
	Aligned bool
	Seed    uint64 // seed of the random phases and durations
	// Recorded are losses to repeat, in place of equal periods; nil: none. Every, which is then the
	// length of the recording, is not 0.
	Recorded *Losses
}

// phase returns the time at which a rank's first loss starts (ps).
func (n *Noise) phase(rank int32) int64 {
	if n.Aligned {
		return int64(n.Every / 2)
	}
	hi, _ := bits.Mul64(Mix(Mix(n.Seed)+uint64(rank)+1), uint64(n.Every))
	return int64(hi)
}

// length returns the duration of a loss (ps).
func (n *Noise) length(rank int32, loss int64) int64 {
	if !n.Exponential {
		return int64(n.Lose)
	}
	random := Mix(Mix(Mix(n.Seed^1)+uint64(rank)+1) + uint64(loss))
	return min(dist.Times(int64(n.Lose), dist.NegLog(random|1)), int64(n.Every))
}

// Free returns the first time from t on at which a rank has its processor, and the start of the
// next loss after that (ps).
func (n *Noise) Free(rank int32, t int64) (from, next int64) {
	phase := n.phase(rank)
	every := int64(n.Every)
	if n.Recorded != nil {
		return n.Recorded.free(t+phase, every, phase)
	}
	if t < phase {
		return t, phase
	}
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

// Work returns the time (ps) at which a rank has done d ps of work if it starts at t.
func (n *Noise) Work(rank int32, t, d int64) int64 {
	if d <= 0 {
		return t
	}
	t, next := n.Free(rank, t)
	if d <= next-t {
		return t + d
	}
	d -= next - t
	if !n.Exponential && n.Recorded == nil {
		// All periods that consist of work and one loss are equal, so they are skipped at once.
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

// Mix is a bijection of 64-bit words in which every input bit affects every output bit.
func Mix(x uint64) uint64 {
	x = (x ^ x>>32) * 0xd6e8feb86659fd93
	x = (x ^ x>>32) * 0x9e3779b97f4a7c15
	return x ^ x>>29
}
