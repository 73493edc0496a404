package dist

import "math/bits"

// Normal returns a normally distributed number with mean 0 and standard deviation 1 if u and v are
// random: sqrt(-2 ln u) cos(2 pi v) for u/2^64 and v/2^64, by Box and Muller (Annals of
// Mathematical Statistics, 1958). The error is below 2^-30. The magnitude is at most 9.42.
func Normal(u, v uint64) int64 {
	return Times(root(max(0, 2*NegLog(u|1))), cosine(v))
}

// Times returns a times the fixed-point number x, rounded toward 0. The product must fit in 64
// bits.
func Times(a, x int64) int64 {
	negative := (a < 0) != (x < 0)
	hi, lo := bits.Mul64(magnitude(a), magnitude(x))
	product := int64(hi<<(64-Bits) | lo>>Bits)
	if negative {
		return -product
	}
	return product
}

func magnitude(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}

// root returns the square root of a number from 0 to 2^20, rounded down.
func root(x int64) int64 {
	// In units of 2^-Bits the root of x is the integer root of x 2^Bits.
	hi, lo := bits.Mul64(uint64(x), One)
	var r uint64
	for bit := uint64(1) << 50; bit > 0; bit >>= 1 {
		h, l := bits.Mul64(r|bit, r|bit)
		if h < hi || h == hi && l <= lo {
			r |= bit
		}
	}
	return int64(r)
}

// halfPi is pi/2 in units of 2^-62.
const halfPi = 0x6487ed5110b4611a

// cosine returns cos(2 pi v/2^64).
func cosine(v uint64) int64 {
	quadrant, part := v>>62, v&(1<<62-1)
	if quadrant == 1 || quadrant == 3 {
		part = 1<<62 - part
	}
	angle, _ := bits.Mul64(part, halfPi) // in units of 2^-60
	c := cosineSeries(int64(angle >> (60 - Bits)))
	if quadrant == 1 || quadrant == 2 {
		return -c
	}
	return c
}

// cosineSeries returns the cosine of an angle from 0 to pi/2, by ten terms of Taylor's series and
// Horner's rule. The first omitted term is below 2^-48.
func cosineSeries(angle int64) int64 {
	square := Times(angle, angle)
	sum := int64(One)
	for n := int64(18); n > 0; n -= 2 {
		sum = One - Times(square, sum)/(n*(n-1))
	}
	return sum
}
