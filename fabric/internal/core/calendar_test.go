package core

import (
	"math/rand/v2"
	"testing"
)

// A timer belongs to the window that plain division gives, also just before and
// after a boundary, for all lengths of windows and as far ahead as bitmaps go.
func TestTimersFallIntoTheirWindows(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		length := minWindow + r.Int64N(1<<(1+r.IntN(28)))
		length = min(length, maxWindow)
		c := NewCalendar(1, length)
		start := r.Int64N(1000)
		c.moveTo(start)
		at := (start+1+r.Int64N(Horizon+3))*length + []int64{-1, 0, 1, r.Int64N(length)}[r.IntN(4)]
		c.Mark(0, at)
		if got := c.next(); got != at/length {
			t.Fatalf(
				"windows of %d ps, current %d: a timer at %d is in window %d, not %d",
				length, start, at, got, at/length,
			)
		}
	}
}

func TestLongestWindowIsExact(t *testing.T) {
	c := NewCalendar(1, maxWindow)
	for ahead := int64(1); ahead <= Horizon; ahead++ {
		c.Cut(maxWindow, 0)
		c.Mark(0, ahead*maxWindow-1)
		if got := c.next(); got != ahead-1 {
			t.Fatalf("the last ps of window %d is put into window %d", ahead-1, got)
		}
	}
}
