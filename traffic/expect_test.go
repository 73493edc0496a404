package traffic_test

import (
	"sync/atomic"
	"testing"

	"fabricast/fabric"
	"fabricast/traffic"
)

// TestEndIsExpected holds what is expected after a tenth of a measurement to when it ends, for
// loads from light to more than the network bears, and where the measurement is cut off. Close to
// saturation queues grow and shrink for so long that nothing foretells it: so nine of ten
// measurements have to be right within a factor of 1.5.
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

// expectedAtATenth is the ratio of the simulated time that is expected after a tenth of a
// measurement to what it takes.
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
