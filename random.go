package fabricast

import "math/bits"

// randomBelow returns a number below n from a counter-based stream: the same
// seed and counter always give the same number. (Multiply-and-shift; the bias
// is below n/2^64.)
func randomBelow(seed, counter, n uint64) uint64 {
	hi, _ := bits.Mul64(scramble(scramble(seed)+counter), n)
	return hi
}

// scramble is a bijection of 64 bits whose outputs look random: two rounds of
// multiplication and shifting with the constants of SplitMix64.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
