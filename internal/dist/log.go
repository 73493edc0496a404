package dist

import "math/bits"

const (
	logSteps = 256
	ln2      = 0xb17217f7d1cf79ab // ln 2 in units of 2^-64
)

// logTable holds -ln((256 + i + 1/2) / 512) for the upper mantissa bits i.
var logTable = newLogTable()

// newLogTable computes logarithms to base 2 bit by bit: squaring a number in [1, 2) doubles its
// logarithm, and the next bit is 1 if the square is at least 2.
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
		table[i] = int64(natural >> (62 - Bits))
	}
	return table
}

// NegLog returns -ln(u/2^64), for u > 0. If u is random, the result is exponentially distributed
// with mean 1. The error is below 2^-36.
func NegLog(u uint64) int64 {
	zeros := bits.LeadingZeros64(u)
	m := u << zeros
	i := m >> 55 & (logSteps - 1)
	middle := (logSteps+i)<<55 | 1<<54
	// m = middle * (1 + r), where r is at most 2^-9: four terms of the series are enough.
	r := relative(m, middle)
	r2 := r * r >> Bits
	series := r - r2/2 + (r2*r>>Bits)/3 - (r2*r2>>Bits)/4
	return int64(zeros)*(ln2>>(64-Bits)) + logTable[i] - series
}

// relative returns (m - middle) / middle, truncated toward 0.
func relative(m, middle uint64) int64 {
	if m < middle {
		return -quotient(middle-m, middle)
	}
	return quotient(m-middle, middle)
}

// quotient returns a / b, for a < b.
func quotient(a, b uint64) int64 {
	hi, lo := bits.Mul64(a, One)
	q, _ := bits.Div64(hi, lo, b)
	return int64(q)
}
