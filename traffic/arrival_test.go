package traffic

import (
	"math"
	"testing"

	"fabricast/fabric"
)

// TestLoad checks that every arrival process generates the requested mean load.
func TestLoad(t *testing.T) {
	p := fabric.Packet{MTU: 128, Flit: 16}
	f := func(a Arrivals, classes ...SizeClass) {
		t.Helper()
		s, err := newSizes(classes)
		if err != nil {
			t.Fatal(err)
		}
		r, err := newProcess(a, s.mean(p), p, 7e9)
		if err != nil {
			t.Fatal(err)
		}
		const messages = 200_000
		var src source
		bytes, last := int64(0), int64(-1)
		for n := range uint64(messages) {
			d := drawsOf(3, 5, n)
			if n == 0 {
				r.start(&src, &d)
			}
			if src.at < last {
				t.Fatalf("message %d at %d ps after one at %d ps", n, src.at, last)
			}
			last = src.at
			bytes += p.WireOf(s.draw(&d))
			r.advance(&src, &d)
		}
		got := float64(bytes) / (float64(last) * 7e9 / 1e12)
		if want := float64(a.Load) / LoadUnit; math.Abs(got/want-1) > 0.02 {
			t.Errorf("%+v: load %.4f, want %.4f", a, got, want)
		}
	}
	fixed := SizeClass{From: 128, To: 128, Share: 1}
	mixed := []SizeClass{{From: 0, To: 100, Share: 3}, {From: 1000, To: 1000, Share: 1}}
	for _, load := range []int64{LoadUnit / 1000, LoadUnit / 3, LoadUnit} {
		f(Arrivals{Process: Bernoulli, Load: load}, fixed)
		f(Arrivals{Process: Poisson, Load: load}, fixed)
		f(Arrivals{Process: Bursts, Load: load, Burst: 8, Peak: LoadUnit}, fixed)
		f(Arrivals{Process: Bernoulli, Load: load}, mixed...)
		f(Arrivals{Process: Poisson, Load: load}, mixed...)
	}
	f(Arrivals{Process: Bernoulli, Load: LoadUnit}, SizeClass{From: 16, To: 16, Share: 1})
}
