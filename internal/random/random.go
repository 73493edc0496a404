// Package random computes random numbers from a seed and a counter. The same seed and counter
// always give the same number, in whatever order they are used.
package random

import "math/bits"

// Below returns a number from 0 to n-1 for a seed and a counter. (Multiply-and-shift; the bias is
// below n/2^64.)
func Below(seed, counter, n uint64) uint64 {
	hi, _ := bits.Mul64(Scramble(Scramble(seed)+counter), n)
	return hi
}

// Scramble is a bijection on 64 bits whose outputs look random: two rounds of multiplication and
// shifting with the constants of SplitMix64.
func Scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
