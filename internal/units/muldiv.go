package units

import (
	"math"
	"math/bits"
)

// MulDiv returns a * b / c, rounded down, where the product may exceed 64 bits; the largest number
// if the result does. a and b must not be negative, and c must be positive.
func MulDiv(a, b, c int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi >= uint64(c) {
		return math.MaxInt64
	}
	quo, _ := bits.Div64(hi, lo, uint64(c))
	return int64(min(quo, math.MaxInt64))
}
