package units

import (
	"strconv"
	"strings"
)

// Fraction is a share of a whole in units of 10^-9.
type Fraction int64

// Units of fractions.
const (
	PartPerBillion Fraction = 1
	Percent                 = 10_000_000 * PartPerBillion
	Whole                   = 100 * Percent
)

// fractions describes shares: percentages, and numbers without a unit as shares of 1.
var fractions = quantity{
	expected: "a share such as 0.25 or 25%",
	base:     "billionths",
	units: []unit{
		{symbol: "%", num: int64(Percent), den: 1},
		{symbol: plain, num: int64(Whole), den: 1, input: true},
	},
}

// plain is the internal symbol of a missing unit.
const plain = "of 1"

// ParseFraction parses a share such as 0.25 or 25%. The error is an *Error.
func ParseFraction(text string) (Fraction, error) {
	if _, _, symbol, ok := split(text); ok && symbol == "" {
		v, err := fractions.parse(text + " " + plain)
		if e, ok := err.(*Error); ok {
			e.Found = text
		}
		return Fraction(v), err
	}
	v, err := fractions.parse(text)
	return Fraction(v), err
}

// String formats the share exactly as a decimal number, in the form that ParseFraction reads.
func (f Fraction) String() string { return decimal(int64(f), int64(Whole)) }

// decimal formats v/one exactly, where one is a power of ten.
func decimal(v, one int64) string {
	sign := ""
	if v < 0 {
		sign, v = "-", -v
	}
	digits := strconv.FormatInt(one+v%one, 10)[1:]
	return sign + strings.TrimSuffix(strconv.FormatInt(v/one, 10)+"."+strings.TrimRight(digits, "0"), ".")
}

// Float returns the share as a floating-point number.
func (f Fraction) Float() float64 { return float64(f) / float64(Whole) }

// MarshalYAML writes the value as a percentage, which YAML does not read as a number.
func (f Fraction) MarshalYAML() (any, error) { return decimal(int64(f), int64(Percent)) + "%", nil }

// MarshalJSON writes the value as a number.
func (f Fraction) MarshalJSON() ([]byte, error) { return []byte(f.String()), nil }

// Set parses the value from text.
func (f *Fraction) Set(text string) (err error) {
	*f, err = ParseFraction(text)
	return err
}

// UnmarshalJSON parses a number.
func (f *Fraction) UnmarshalJSON(text []byte) error { return f.Set(string(text)) }
