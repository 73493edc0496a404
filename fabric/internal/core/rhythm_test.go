package core

import (
	"math/rand/v2"
	"testing"
)

// TestRhythms compares what is computed for many times at once with what follows from each.
func TestRhythms(t *testing.T) {
	d := rand.New(rand.NewPCG(1, 2))
	rates := []int64{450_000_000_000, 428_571_428_571, 999_999_937, 6_999_999_989, 25_000_000_000, 3, 7, 333_333_333}
	draw := func() (Times, Rate, int64, uint64) {
		perSecond := rates[d.IntN(len(rates))]
		if d.IntN(3) == 0 {
			perSecond = 1 + d.Int64N(1<<d.IntN(40))
		}
		r, n := NewRate(perSecond), 1+d.Int64N(1<<d.IntN(10))
		if perSecond < 1e6 {
			n = 1
		}
		_, fraction := r.Duration(1+d.Int64N(100), 0)
		if d.IntN(2) == 0 {
			fraction = 0
		}
		rhythm, ok := r.Rhythm(n, fraction)
		if !ok {
			t.Fatalf("%d B at %d B/s have no rhythm", n, perSecond)
		}
		return Times{d.Int64N(5), rhythm}, r, n, fraction
	}
	for range 20_000 {
		x, r, bytes, fraction := draw()
		n := 1 + d.Uint32N(60)
		at, sum := x.First, int64(0)
		until := x.First - 2 + d.Int64N(x.Multiple(n)+5)
		upTo := uint32(0)
		from := x.From(n / 2)
		for i := range n {
			if got := x.At(i); got != at {
				t.Fatalf("%+v: time %d is %d, want %d", x, i, got, at)
			}
			if got := from.At(i); got != x.At(n/2+i) {
				t.Fatalf("%+v: time %d from %d on is %d, want %d", x, i, n/2, got, x.At(n/2+i))
			}
			if sum += at; at <= until {
				upTo++
			}
			var took int64
			took, fraction = r.Duration(bytes, fraction)
			at += took
		}
		if got := x.Total(n); got != sum {
			t.Fatalf("%+v: sum of %d is %d, want %d", x, n, got, sum)
		}
		if got := x.UpTo(until, n); got != upTo {
			t.Fatalf("%+v: of %d, %d up to %d, want %d", x, n, got, until, upTo)
		}
		if e := x.Earlier(); e.At(1) != x.First || e.At(n) != x.At(n-1) {
			t.Fatalf("%+v: earlier %+v", x, e)
		}
		y := x
		if d.IntN(2) == 0 {
			y, _, _, _ = draw()
		} else if x.Per != 0 {
			y.First, y.Phase = d.Int64N(5), d.Uint64N(x.Per)
		}
		checkNoLater(t, x, y, n)
	}
}

func checkNoLater(t *testing.T, x, y Times, n uint32) {
	t.Helper()
	want := uint32(0)
	for want < n && x.At(want) <= y.At(want) {
		want++
	}
	got := x.NoLater(y, n)
	if got > want || got == 0 && want > 0 || got < want && x.compareTo(&y.Rhythm) <= 0 && n <= mostExamined {
		t.Fatalf("%+v no later than %+v: %d of %d, want %d", x, y, got, n, want)
	}
}
