package traffic

import "math/bits"

// Draws is a stream of random numbers for one message of one source. Each number is a hash of the
// seed, the source, the index of the message and the position in the stream, computed by the
// generator SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
type Draws struct{ state uint64 }

const golden = 0x9e3779b97f4a7c15

func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// drawsOf returns the stream of random numbers for message n of a source.
func drawsOf(seed uint64, source int32, n uint64) Draws {
	return Draws{mix(mix(mix(seed+golden)+uint64(source)*golden) + n*golden)}
}

// Next returns 64 random bits.
func (d *Draws) Next() uint64 {
	d.state += golden
	return mix(d.state)
}

// Below returns a random number from 0 to n-1. The probability of each number differs from 1/n by
// less than 2^-64.
func (d *Draws) Below(n int) int {
	hi, _ := bits.Mul64(d.Next(), uint64(n))
	return int(hi)
}
