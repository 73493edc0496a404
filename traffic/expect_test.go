package traffic_test

import (
	"sync/atomic"
	"testing"

	"fabricast/fabric"
	"fabricast/traffic"
)

// TestEndIsExpected compares the end of a measurement with the end expected after a tenth of it,
// for loads from light to above saturation, and for measurements of limited length. Close to
// saturation, queues grow and shrink too slowly for a prediction. Therefore only nine of ten
// measurements must be within a factor of 1.5.
func TestEndIsExpected(t *testing.T) {
	if testing.Short() {
		t.Skip("long, of one worker")
	}
	cases, wrong := 0, 0
	for _, share := range []float64{0.05, 0.2, 0.4, 0.6, 1} {
		for _, pattern := range []string{"uniform", "tornado", "transpose"} {
			for _, longest := range []int64{0, 1_000_000} {
				cases++
				if ratio := expectedAtATenth(t, pattern, share, longest); ratio < 1/1.5 || ratio > 1.5 {
					wrong++
					t.Logf(
						"%s %g, at most %d ps: after a tenth %g of the time was expected that it took",
						pattern, share, longest, ratio,
					)
				}
			}
		}
	}
	if 10*wrong > cases {
		t.Errorf("%d of %d measurements take another time than was expected after a tenth", wrong, cases)
	}
}

// expectedAtATenth returns the ratio of the expected length after a tenth of a measurement to its
// actual length, both in simulated time.
func expectedAtATenth(t *testing.T, pattern string, share float64, longest int64) float64 {
	t.Helper()
	spec, top := network(t, 2, true, 8, 8)
	n, err := fabric.New(spec, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	m := traffic.Measure{Precision: 0.02, Tolerance: 0.01, Longest: longest}
	s, err := traffic.Put(n, spec, load(t, pattern, top, share), m)
	if err != nil {
		t.Fatal(err)
	}
	if done, total := s.Work(); done != 0 || total != 0 {
		t.Errorf("before the start %g of %g is done", done, total)
	}
	if _, err := s.Run(new(atomic.Bool), nil); err != nil {
		t.Fatal(err)
	}
	end := s.Ended()
	return float64(s.Expected()[end/s.Batch()/10]) / float64(end)
}
