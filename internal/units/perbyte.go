package units

import (
	"errors"
	"math"
	"math/big"
	"math/bits"
)

// PerByte is a time for each byte, in femtoseconds: the inverse of a rate.
type PerByte int64

// Femtoseconds in a picosecond and in a second.
const (
	perPicosecond = 1000
	perSecondFs   = 1_000_000_000_000_000
)

var perBytes = quantity{
	expected: "a time for each byte such as 0.04ns, or a rate such as 25GB/s",
	base:     "femtoseconds",
	units: []unit{
		{symbol: "fs", num: 1, den: 1},
		{symbol: "ps", num: perPicosecond, den: 1},
		{symbol: "ns", num: 1000 * perPicosecond, den: 1},
		{symbol: "us", num: 1000 * 1000 * perPicosecond, den: 1},
	},
	spelling: times.spelling,
}

// ParsePerByte parses a time for each byte such as 0.04ns, or a rate such as 25GB/s, whose inverse
// is rounded to femtoseconds.
func ParsePerByte(text string) (PerByte, error) {
	v, err := perBytes.parse(text)
	if err == nil {
		return PerByte(v), nil
	}
	if rate, wrong := ParseRate(text); wrong == nil && rate > 0 {
		return PerByteAt(rate), nil
	}
	var e *Error
	if errors.As(err, &e) {
		e.Expected = perBytes.expected
	}
	return 0, err
}

// PerByteAt returns the time for each byte at a rate above 0, rounded to the nearest femtosecond.
func PerByteAt(r Rate) PerByte { return PerByte((perSecondFs + int64(r)/2) / int64(r)) }

// Rate returns the inverse, rounded down; 0 if the time is 0, or so short that the rate exceeds 64
// bits.
func (p PerByte) Rate() Rate {
	if p <= 0 {
		return 0
	}
	return Rate(perSecondFs / int64(p))
}

// Of returns the time that n bytes take, rounded down to ps, and at most about 146 years. REQUIRES:
// n >= 0.
func (p PerByte) Of(n int64) Time {
	hi, lo := bits.Mul64(uint64(p), uint64(n))
	if hi >= perPicosecond {
		return math.MaxInt64 / 2
	}
	ps, _ := bits.Div64(hi, lo, perPicosecond)
	return Time(min(ps, math.MaxInt64/2))
}

// PerByteOf returns the time for each byte if n bytes take time t, rounded down to femtoseconds and
// limited to 64 bits. REQUIRES: n > 0.
func PerByteOf(t Time, n int64) PerByte {
	v := new(big.Int).Mul(big.NewInt(int64(t)), big.NewInt(perPicosecond))
	v.Quo(v, big.NewInt(n))
	if !v.IsInt64() {
		return math.MaxInt64
	}
	return PerByte(v.Int64())
}

// String formats the time exactly, in the form that ParsePerByte reads.
func (p PerByte) String() string { return perBytes.signed(int64(p)) }

// MarshalYAML writes the value with its unit, as a person would.
func (p PerByte) MarshalYAML() (any, error) { return p.String(), nil }

// Set parses the value from text.
func (p *PerByte) Set(text string) (err error) {
	*p, err = ParsePerByte(text)
	return err
}

// Written is like Time.Written for a time for each byte.
func (PerByte) Written() (pattern string, numbers bool) {
	return perBytes.pattern() + "|" + rates.pattern(), false
}
