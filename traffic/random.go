package traffic

import "math/bits"

// Draws is a stream of random numbers for one message of one source: a hash of
// (seed, source, message, number of the draw), by the generator SplitMix64 (Steele,
// Lea and Flood, OOPSLA 2014).
type Draws struct{ state uint64 }

const golden = 0x9e3779b97f4a7c15

func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// drawsOf begins the stream of message n of a source.
func drawsOf(seed uint64, source int32, n uint64) Draws {
	return Draws{mix(mix(mix(seed+golden)+uint64(source)*golden) + n*golden)}
}

// Next returns 64 random bits.
func (d *Draws) Next() uint64 {
	d.state += golden
	return mix(d.state)
}

// Below returns a number from 0 to n-1. (The bias is below n/2^64.)
func (d *Draws) Below(n int) int {
	hi, _ := bits.Mul64(d.Next(), uint64(n))
	return int(hi)
}

// Fixed-point numbers with logBits binary places hold logarithms, so that every
// machine draws the same numbers.
const (
	logBits  = 40
	logSteps = 256
	ln2      = 0xb17217f7d1cf79ab // ln 2 in units of 2^-64
)

// logTable holds -ln((256 + i + 1/2) / 512) for the upper mantissa bits i.
var logTable = newLogTable()

// newLogTable computes logarithms to base 2 bit by bit: squaring a number of
// [1, 2) doubles its logarithm, and the next bit tells whether the square reached 2.
func newLogTable() (table [logSteps]int64) {
	for i := range table {
		x := uint64(logSteps+i)<<55 | 1<<54 // in units of 2^-63
		var log uint64                      // in units of 2^-62
		for bit := 61; bit >= 0; bit-- {
			hi, lo := bits.Mul64(x, x)
			if hi>>63 != 0 {
				log |= 1 << bit
				x = hi
			} else {
				x = hi<<1 | lo>>63
			}
		}
		natural, _ := bits.Mul64(1<<62-log, ln2)
		table[i] = int64(natural >> (62 - logBits))
	}
	return table
}

// negLog is -ln(u/2^64) with logBits binary places, for u > 0: an exponentially
// distributed number of mean 1 if u is random. The error is below 2^-36.
func negLog(u uint64) int64 {
	zeros := bits.LeadingZeros64(u)
	m := u << zeros
	i := m >> 55 & (logSteps - 1)
	middle := (logSteps+i)<<55 | 1<<54
	// m = middle * (1 + r), where r is at most 2^-9: four terms of the series are enough.
	r := relative(m, middle)
	r2 := r * r >> logBits
	series := r - r2/2 + (r2*r>>logBits)/3 - (r2*r2>>logBits)/4
	return int64(zeros)*(ln2>>(64-logBits)) + logTable[i] - series
}

// relative is (m - middle) / middle with logBits binary places.
func relative(m, middle uint64) int64 {
	if m < middle {
		return -relative(2*middle-m, middle)
	}
	hi, lo := bits.Mul64(m-middle, 1<<logBits)
	q, _ := bits.Div64(hi, lo, middle)
	return int64(q)
}
