package random

import (
	"math"
	"sort"
	"testing"
)

// TestCorrupts: the numbers that are hit are those below 2^64 (1 - exp(-x)).
func TestCorrupts(t *testing.T) {
	for _, x := range []float64{1e-15, 1e-9, 1e-3, 0.1, 0.5, 0.99} {
		rate := uint64(x / 1000 * (1 << 63) * 2)
		below := sort.Search(1<<62, func(i int) bool { return !Corrupts(uint64(i)<<2, rate, 1000) })
		got, want := float64(below)/(1<<62), -math.Expm1(-float64(rate)*1000/(1<<63)/2)
		if math.Abs(got-want) > 1e-9*want+1e-17 {
			t.Errorf("%g: %g of all numbers are hit, want %g", x, got, want)
		}
	}
}
