package random

import "math/bits"

// Corrupts reports whether errors hit one of a number of bits that are sent together, for a random number
// u. Errors are a Poisson process of rate / 2^64 a bit, so they hit with probability 1 - exp(-x), where x =
// rate * bits / 2^64 must be below 1. The result is exact to 2^-60, and the same on every machine.
func Corrupts(u, rate, n uint64) bool {
	x := rate * n
	hit, term := uint64(0), x
	for i := uint64(2); term > 0; i++ {
		if i%2 == 0 {
			hit += term
		} else {
			hit -= term
		}
		hi, _ := bits.Mul64(term, x)
		term = hi / i
	}
	return u < hit
}
