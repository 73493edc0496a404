package traffic

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestPeak estimates the largest of random lists of means from many samples. The estimate must have
// almost no bias, unlike the largest sample, and the interval must nearly always contain the
// largest mean.
func TestPeak(t *testing.T) {
	if testing.Short() {
		t.Skip("long, of one worker")
	}
	random := rand.New(rand.NewPCG(1, 2))
	flat := func(_, _ int) float64 { return 1 }
	f := func(name string, n int, shape func(i, n int) float64, bias float64) {
		t.Helper()
		const trials, expected = 300, 200.0 // expected: number of events for a mean of 1
		var value, raw float64
		missed := 0
		for range trials {
			part := 0.35 + 0.3*random.Float64()
			first, second := make([]float64, n), make([]float64, n)
			greatest, seen := 0.0, 0.0
			for i := range n {
				m := shape(i, n)
				greatest = max(greatest, m)
				first[i] = poisson(random, m*expected*part) / (expected * part)
				second[i] = poisson(random, m*expected*(1-part)) / (expected * (1 - part))
				seen = max(seen, part*first[i]+(1-part)*second[i])
			}
			p := estimatePeak(first, second, part)
			if greatest < p.Low || greatest > p.High {
				missed++
			}
			if p.Value < p.Low || p.Value > p.High {
				t.Fatalf("%s: %+v", name, p)
			}
			value += p.Value / greatest / trials
			raw += seen / greatest / trials
		}
		if math.Abs(value-1) > bias {
			t.Errorf("%s: the estimate is %.4f of the peak, the greatest sample %.4f", name, value, raw)
		}
		if missed > trials/20 {
			t.Errorf("%s: %d of %d intervals miss the peak", name, missed, trials)
		}
	}
	f("all alike", 500, flat, 0.02)
	f("few alike", 12, flat, 0.02)
	f("two", 2, flat, 0.02)
	f("one stands out", 500, func(i, _ int) float64 { return []float64{0.3, 1}[min(1, i/499)] }, 0.02)
	f("two kinds", 400, func(i, n int) float64 { return []float64{0.6, 1}[2*i/n] }, 0.02)
	f("even slope", 300, func(i, n int) float64 { return float64(i+1) / float64(n) }, 0.07)
	f("most idle", 300, func(i, n int) float64 { return float64(i * 8 / n / 7) }, 0.03)
}

// TestPeakWithoutNoise checks that without variation, the estimate is the largest value up to
// rounding.
func TestPeakWithoutNoise(t *testing.T) {
	list := []float64{0.25, 0, 1.0 / 3, 0.3}
	if p := estimatePeak(list, slices.Clone(list), 0.4); math.Abs(p.Value-1.0/3) > 1e-15 ||
		p.High-p.Low > 1e-15 {
		t.Errorf("%+v", p)
	}
}

// poisson draws a Poisson-distributed number: by the normal approximation if the mean is above 50,
// otherwise by counting.
func poisson(random *rand.Rand, mean float64) float64 {
	if mean > 50 {
		return math.Round(max(0, mean+math.Sqrt(mean)*random.NormFloat64()))
	}
	count, at := 0.0, random.ExpFloat64()
	for at < mean {
		count++
		at += random.ExpFloat64()
	}
	return count
}
