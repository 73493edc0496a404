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

// A rank with recorded losses has its processor at all other times, in every lap of the recording,
// and its work takes the time that is not lost.
func TestRecordedLosses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		losses := new(Losses)
		begin := units.Time(rapid.Int64Range(0, 5).Draw(t, "first"))
		for range rapid.IntRange(1, 5).Draw(t, "losses") {
			duration := units.Time(rapid.Int64Range(1, 9).Draw(t, "duration"))
			if !losses.Add(begin, duration) {
				t.Fatalf("a loss at %d was refused", begin)
			}
			begin += units.Time(rapid.Int64Range(0, 20).Draw(t, "distance"))
		}
		n := &Noise{
			Every: losses.Span(), Recorded: losses, Seed: rapid.Uint64().Draw(t, "seed"),
			Aligned: rapid.Bool().Draw(t, "aligned"),
		}
		rank := rapid.Int32Range(0, 9).Draw(t, "rank")
		span, ahead := int64(n.Every), n.phase(rank)
		lost := func(at int64) bool {
			within := (at + ahead) % span
			for i, from := range losses.begins {
				if from <= within && within < losses.ends[i] {
					return true
				}
			}
			return false
		}
		at := rapid.Int64Range(0, 3*span).Draw(t, "at")
		from, next := n.Free(rank, at)
		for ; lost(at); at++ {
		}
		if from != at {
			t.Fatalf("free from %d, want %d", from, at)
		}
		for ; !lost(at); at++ {
		}
		if next != at {
			t.Fatalf("the next loss is at %d, want %d", next, at)
		}
		d := rapid.Int64Range(1, 300).Draw(t, "work")
		at = from
		for left := d; left > 0; at++ {
			if !lost(at) {
				left--
			}
		}
		if got := n.Work(rank, from, d); got != at {
			t.Errorf("%d ps of work from %d: done at %d, want %d", d, from, got, at)
		}
	})
}

// Losses out of order are refused, those that touch become one.
func TestLossesInOrder(t *testing.T) {
	losses := new(Losses)
	for _, c := range []struct {
		begin, duration units.Time
		fits            bool
	}{{5, 5, true}, {10, 2, true}, {11, 0, true}, {9, 1, true}, {4, 1, false}, {-1, 1, false}, {20, 3, true}} {
		if losses.Add(c.begin, c.duration) != c.fits {
			t.Errorf("a loss at %d: fits %v", c.begin, !c.fits)
		}
	}
	if losses.Len() != 2 || losses.Lost() != 10 || losses.Span() != 23+6 {
		t.Errorf("%d losses of %d ps in %d ps", losses.Len(), losses.Lost(), losses.Span())
	}
}
