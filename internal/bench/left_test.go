package bench

import (
	"math"
	"testing"
	"time"

	"fabricast"
)

func TestLeftError(t *testing.T) {
	f := func(want float64, seconds time.Duration, share func(at float64) float64) {
		t.Helper()
		var w watch
		for at := time.Second; at <= seconds*time.Second; at += time.Second {
			s := share(float64(at) / float64(seconds*time.Second))
			w.add(
				fabricast.Progress{
					Elapsed: at,
					Share:   s,
					Left:    time.Duration(float64(at) * (1 - s) / max(s, 1e-9)),
				},
			)
		}
		if got := w.leftError(); math.Abs(got-want) > 1e-6 {
			t.Errorf("got %g, want %g", got, want)
		}
	}
	f(1, 20, func(at float64) float64 { return at })
	f(2, 20, func(at float64) float64 { return 1 / (1 + 2*(1-at)/at) })   // twice too long
	f(3, 20, func(at float64) float64 { return 1 / (1 + (1-at)/(3*at)) }) // a third
	f(0, 20, func(float64) float64 { return 0 })                          // nothing is known
	f(0, 3, func(at float64) float64 { return at })                       // too short to judge
	f(0, 0, nil)
	// only what is told from a tenth to nine tenths of the run counts
	f(1, 20, func(at float64) float64 {
		if at < judgedFrom || at > judgedTo {
			return 0.5
		}
		return at
	})
}
