package dist

import (
	"math"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestNegLog(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := rapid.Uint64Min(1).Draw(t, "u")
		near(t, "-ln", NegLog(u), -math.Log(float64(u)/(1<<64)), 0x1p-33)
	})
}

// TestNegLogAtBounds takes the numbers where the table's entries meet, whatever power of two they
// are multiplied by.
func TestNegLogAtBounds(t *testing.T) {
	for i := range uint64(logSteps) {
		bound := (logSteps + i) << 55
		for _, m := range []uint64{bound, bound + 1, bound + 1<<55 - 1} {
			near(t, "-ln", NegLog(m), -math.Log(float64(m)/(1<<64)), 0x1p-33)
			for shift := 1; shift <= bits.TrailingZeros64(m); shift++ {
				near(t, "-ln", NegLog(m>>shift), -math.Log(float64(m>>shift)/(1<<64)), 0x1p-33)
			}
		}
	}
}

func TestCosine(t *testing.T) {
	for i, want := range []int64{One, 0, -One, 0} {
		near(t, "quarter turns", cosine(uint64(i)<<62), float64(want)/One, 0x1p-36)
	}
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Uint64().Draw(t, "v")
		near(t, "cos", cosine(v), math.Cos(2*math.Pi*float64(v)/(1<<64)), 0x1p-36)
	})
}

func TestNormal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u, v := rapid.Uint64Min(1).Draw(t, "u")|1, rapid.Uint64().Draw(t, "v")
		want := math.Sqrt(-2*math.Log(float64(u)/(1<<64))) * math.Cos(2*math.Pi*float64(v)/(1<<64))
		if u < 1<<63 { // beyond, the float64 of u has lost what is left of the logarithm
			near(t, "normal", Normal(u, v), want, 0x1p-30)
		}
	})
}

func near(t interface{ Errorf(string, ...any) }, what string, got int64, want, tolerance float64) {
	if math.Abs(float64(got)/One-want) > tolerance {
		t.Errorf("%s: %.15f, want %.15f", what, float64(got)/One, want)
	}
}

// TestNormalIsNormal compares the distribution of many draws with the normal one, by the greatest
// distance (Kolmogorov and Smirnov).
func TestNormalIsNormal(t *testing.T) {
	const n = 1 << 15
	draws := make([]float64, n)
	state := uint64(1)
	next := func() uint64 {
		state += 0x9e3779b97f4a7c15
		x := (state ^ state>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		return x ^ x>>31
	}
	for i := range draws {
		draws[i] = float64(Normal(next(), next())) / One
	}
	slices.Sort(draws)
	farthest := 0.0
	for i, x := range draws {
		share := 0.5 * math.Erfc(-x/math.Sqrt2)
		farthest = max(farthest, math.Abs(share-float64(i)/n), math.Abs(share-float64(i+1)/n))
	}
	if limit := 1.95 / math.Sqrt(n); farthest > limit { // one time in 1,000
		t.Errorf("the distribution is %.5f away from the normal one, expected at most %.5f", farthest, limit)
	}
}

// The same numbers on every machine.
func TestNormalToTheBit(t *testing.T) {
	for _, c := range []struct {
		u, v uint64
		want int64
	}{
		{1 << 63, 0, 1294576010414},
		{1, 0, 10356608083320},
		{0x0123456789abcdef, 0xfedcba9876543210, 3617335743894},
		{1<<64 - 1, 1 << 61, 0},
	} {
		if got := Normal(c.u, c.v); got != c.want {
			t.Errorf("%#x, %#x: %d, want %d", c.u, c.v, got, c.want)
		}
	}
}
