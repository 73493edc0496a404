// Package humanize formats numbers for people: rounded to four significant digits with a suitable
// unit, or exactly with thousands separators.
package humanize

import (
	"math"
	"strconv"
	"strings"
)

// step is a unit in which a number can be shown.
type step struct {
	size   float64
	symbol string
}

var (
	times  = []step{{1, "ps"}, {1e3, "ns"}, {1e6, "us"}, {1e9, "ms"}, {1e12, "s"}}
	rates  = []step{{1, "B/s"}, {1e3, "kB/s"}, {1e6, "MB/s"}, {1e9, "GB/s"}, {1e12, "TB/s"}}
	memory = []step{{1, "B"}, {1 << 10, "KiB"}, {1 << 20, "MiB"}, {1 << 30, "GiB"}, {1 << 40, "TiB"}}
	sizes  = []step{{1, "B"}, {1e3, "kB"}, {1e6, "MB"}, {1e9, "GB"}, {1e12, "TB"}, {1e15, "PB"}}
)

// scaled formats v in the largest unit in which it is at least 1.
func scaled(v float64, steps []step) string {
	best := steps[0]
	for _, s := range steps {
		if math.Abs(v) >= s.size {
			best = s
		}
	}
	return Significant(v/best.size) + " " + best.symbol
}

// Significant formats a number with four significant digits, without an exponent.
func Significant(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e4 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	decimals := 3
	for limit := 10.0; decimals > 0 && math.Abs(v) >= limit; limit *= 10 {
		decimals--
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// Time formats a time in ps.
func Time[T ~int64](ps T) string { return scaled(float64(ps), times) }

// Seconds formats a time in seconds, such as wall-clock time.
func Seconds(s float64) string { return scaled(s*1e12, times) }

// Rate formats a bandwidth in bytes/s.
func Rate(v float64) string { return scaled(v, rates) }

// Memory formats an amount of memory in bytes, with units that are powers of two.
func Memory[T ~int64](n T) string { return scaled(float64(n), memory) }

// Size formats an amount of data in bytes, with units that are powers of ten.
func Size[T ~int64](n T) string { return scaled(float64(n), sizes) }

// Percent formats a fraction as a percentage.
func Percent(v float64) string { return Significant(100*v) + " %" }

// Count formats an integer with thousands separators.
func Count[T ~int | ~int64](n T) string {
	digits := strconv.FormatInt(int64(n), 10)
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return sign + b.String()
}
