package experiment

import (
	"testing"

	"fabricast/internal/restart"
	"fabricast/internal/units"
)

// TestRareFailures: a rate of one failure in thousands of years is not one of many.
func TestRareFailures(t *testing.T) {
	for _, rate := range []units.Fraction{1, units.Whole / 1_000_000, units.Whole / 100_000} {
		c := Checkpoint{Repeats: 1, Save: units.Second, Rate: rate, Period: PeriodDaly}
		m, ok := c.Model(units.Second, 1, 1)
		if !ok || m.MTTF != restart.MaxMTTF || m.Period <= 0 {
			t.Errorf("%v of failures in a day: %+v, %v", rate, m, ok)
		}
	}
}
