package core

import "math/bits"

const psPerSecond = 1_000_000_000_000

// Rate computes transfer times: n bytes take n*10^12/perSecond ps. It carries fractions of a ps
// over from one back-to-back transfer to the next, so that rounding errors do not accumulate.
type Rate struct {
	perSecond uint64 // the rate in bytes per second
	PerByte   uint64 // ps per byte if that is an integer; otherwise 0
}

func NewRate(bytesPerSecond int64) Rate {
	r := Rate{perSecond: uint64(bytesPerSecond)}
	if psPerSecond%r.perSecond == 0 {
		r.PerByte = psPerSecond / r.perSecond
	}
	return r
}

// Duration returns the time (ps) of n bytes after a transfer that left the given fraction of a ps,
// in units of 1/perSecond ps, and the fraction left afterwards.
func (r Rate) Duration(n int64, fraction uint64) (ps int64, left uint64) {
	if r.PerByte != 0 {
		return n * int64(r.PerByte), 0
	}
	hi, lo := bits.Mul64(uint64(n), psPerSecond)
	lo, carry := bits.Add64(lo, fraction, 0)
	quo, rem := bits.Div64(hi+carry, lo, r.perSecond)
	return int64(quo), rem
}

// Left returns the fraction left by `count` transfers of n bytes, one right after the other, after one
// that left the given fraction.
func (r Rate) Left(n int64, count uint32, fraction uint64) uint64 {
	_, each := r.Duration(n, 0)
	hi, lo := bits.Mul64(uint64(count), each)
	lo, carry := bits.Add64(lo, fraction, 0)
	return bits.Rem64(hi+carry, lo, r.perSecond)
}
