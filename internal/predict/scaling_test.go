package predict

import (
	"testing"

	"pgregory.net/rapid"
)

// TestScalingStops holds that processes pay up to the first step that gains less than a fifth, and
// that no number of them makes a run faster than their shares of the work allow.
func TestScalingStops(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &Scaling{
			HopsInWindow: rapid.Float64Range(1, 1e6).Draw(t, "hops"), Pays: 1,
			length: rapid.Float64Range(1, 100).Draw(t, "packets"),
		}
		pays, stopped, before := 1, false, 0.0
		for n := 1; n <= 64; n *= 2 {
			d := &Division{Balance: 1}
			if n > 1 {
				d.Balance = rapid.Float64Range(0.1, 1).Draw(t, "balance")
				d.Crossing = rapid.Float64Range(0, 1).Draw(t, "crossing")
				d.Neighbours = rapid.IntRange(1, n-1).Draw(t, "neighbours")
			}
			x := s.with(n, d)
			s.add(x)
			if x.SpeedUp > float64(n)*d.Balance+1e-9 {
				t.Fatalf("%d processes with a balance of %v are %v times as fast", n, d.Balance, x.SpeedUp)
			}
			stopped = stopped || n > 1 && x.SpeedUp < worthwhile*before
			if !stopped {
				pays = n
			}
			before = x.SpeedUp
		}
		if s.Pays != pays {
			t.Fatalf("%d processes pay, not %d: %+v", pays, s.Pays, s.Steps)
		}
	})
}
