package traffic

import (
	"testing"
)

// TestDraws checks that streams of random numbers are reproducible and uniformly distributed.
func TestDraws(t *testing.T) {
	const n, cells = 1 << 16, 16
	var count [cells]int
	for i := range uint64(n) {
		a, b := drawsOf(7, int32(i%64), i/64), drawsOf(7, int32(i%64), i/64)
		x := a.Below(cells)
		if x != b.Below(cells) {
			t.Fatal("a stream differs from itself")
		}
		count[x]++
	}
	chi := 0.0
	for _, c := range count {
		d := float64(c) - n/cells
		chi += d * d / (n / cells)
	}
	if chi > 45 { // 15 degrees of freedom: exceeded with a probability of 1/10,000
		t.Errorf("chi-squared %.1f: %v", chi, count)
	}
}
