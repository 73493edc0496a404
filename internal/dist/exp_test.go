package dist

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestExp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Int64Range(-9*One, 15*One).Draw(t, "x")
		want := math.Exp(float64(x) / One)
		if got := float64(Exp(x)) / One; math.Abs(got-want) > want*0x1p-26 {
			t.Errorf("e^%v = %v, want %v", float64(x)/One, got, want)
		}
	})
	if Exp(20*One) != Exp(15*One) || Exp(-60*One) != 0 || Exp(0) != One {
		t.Errorf("%d, %d, %d", Exp(20*One), Exp(-60*One), Exp(0))
	}
}

func TestLogNormal(t *testing.T) {
	for _, c := range []struct{ median, sigma, z, most, want int64 }{
		{100, 0, 5 * One, 1000, 100},
		{100, 50, 0, 1000, 100},
		{100, 50, 2 * One, 1000, 271},
		{100, 200, 9 * One, 1000, 1000},
		{100, 200, -9 * One, 1000, 1},
		{1 << 20, 200, 9 * One, 1 << 20, 1 << 20},
	} {
		if got := LogNormal(c.median, c.sigma, c.z, c.most); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}
