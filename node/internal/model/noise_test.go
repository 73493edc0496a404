package model

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"fabricast/internal/units"
)

// drawNoise draws noise of a few ps, so that every ps can be looked at.
func drawNoise(t *rapid.T) *Noise {
	every := rapid.Int64Range(2, 40).Draw(t, "every")
	n := &Noise{
		Every: units.Time(every), Seed: rapid.Uint64().Draw(t, "seed"),
		Exponential: rapid.Bool().Draw(t, "exponential"), Aligned: rapid.Bool().Draw(t, "aligned"),
	}
	n.Lose = units.Time(rapid.Int64Range(0, every/2).Draw(t, "lose"))
	return n
}

// lost tells of every ps from 0 to end-1 whether the rank has lost it.
func (n *Noise) lost(rank int32, end int64) []bool {
	lost := make([]bool, end)
	every := int64(n.Every)
	for k := int64(0); n.phase(rank)+k*every < end; k++ {
		begin := n.phase(rank) + k*every
		for at := begin; at < min(end, begin+n.length(rank, k)); at++ {
			lost[at] = true
		}
	}
	return lost
}

// Work takes the ps that are not lost, one after the other.
func TestWorkGoesRoundLosses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, rank := drawNoise(t), rapid.Int32Range(0, 9).Draw(t, "rank")
		lost := n.lost(rank, 4000)
		begin, d := rapid.Int64Range(0, 500).Draw(t, "begin"), rapid.Int64Range(0, 500).Draw(t, "work")
		at := begin
		for left := d; left > 0; at++ {
			if !lost[at] {
				left--
			}
		}
		if got := n.Work(rank, begin, d); got != at {
			t.Errorf("%d ps of work from %d: done at %d, want %d", d, begin, got, at)
		}
		for at = begin; lost[at]; at++ {
		}
		if got, _ := n.Free(rank, begin); got != at {
			t.Errorf("free from %d: %d, want %d", begin, got, at)
		}
	})
}

func TestWorkOfDays(t *testing.T) {
	n := Noise{Every: 1_000_000, Lose: 10_000, Aligned: true}
	// A million whole periods, the first loss half a period after the start.
	if got, want := n.Work(0, 0, 990_000*1_000_000), int64(1_000_000*1_000_000); got != want {
		t.Errorf("done at %d, want %d", got, want)
	}
}

func TestPhasesAndLengthsOfLosses(t *testing.T) {
	n := Noise{Every: 1000 * 1_000_000, Lose: 10 * 1_000_000, Exponential: true}
	const ranks = 1 << 14
	phase, length, long := 0.0, 0.0, 0
	for r := range int32(ranks) {
		phase += float64(n.phase(r)) / float64(n.Every) / ranks
		l := float64(n.length(r, 3)) / float64(n.Lose)
		length += l / ranks
		if l > 1 {
			long++
		}
	}
	// Four standard deviations of the mean.
	if math.Abs(phase-0.5) > 4*0.289/128 || math.Abs(length-1) > 4.0/128 {
		t.Errorf("mean phase %.4f of the period, mean length %.4f of what was asked for", phase, length)
	}
	if share := float64(long) / ranks; math.Abs(share-math.Exp(-1)) > 4*0.482/128 {
		t.Errorf("%.4f of the losses are longer than the mean, want 1/e", share)
	}
}
