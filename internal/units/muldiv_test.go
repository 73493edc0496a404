package units

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// TestMulDiv: products and quotients are those of integers of any size, up to the largest number.
func TestMulDiv(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Int64Range(0, math.MaxInt64).Draw(t, "a")
		b := rapid.Int64Range(0, math.MaxInt64).Draw(t, "b")
		c := rapid.Int64Range(1, math.MaxInt64).Draw(t, "c")
		want := new(big.Int).Mul(big.NewInt(a), big.NewInt(b))
		if want.Quo(want, big.NewInt(c)); !want.IsInt64() {
			want.SetInt64(math.MaxInt64)
		}
		if got := MulDiv(a, b, c); got != want.Int64() {
			t.Fatalf("%d * %d / %d is %d, want %d", a, b, c, got, want)
		}
	})
}
