package control

import (
	"fmt"
	"math"

	"fabricast/fabric/model"
	"fabricast/internal/units"
	"fabricast/topology"
)

// flow has the methods of an Algorithm whose state of a flow is a T.
type flow[T any] struct{ Quiet }

// Words implements Algorithm.
func (flow[T]) Words() int { return model.Words[T]() }

// of returns the state of a flow in its words.
func (flow[T]) of(s []uint64) *T { return model.StateIn[T](s) }

// Results must not depend on the machine. So products that are added are converted to float64
// explicitly: this forbids the compiler to fuse them into one operation with one rounding.

// blend returns the weighted mean of two values: weight*fresh + (1-weight)*old.
func blend(weight, fresh, old float64) float64 {
	return float64(weight*fresh) + float64((1-weight)*old)
}

// between returns the value in a range that is nearest to x.
func between[N int64 | float64](low, x, high N) N { return max(low, min(x, high)) }

// or returns a value, or its default in place of zero.
func or[T comparable](value, usual T) T {
	var zero T
	if value == zero {
		return usual
	}
	return value
}

// rateOr returns a rate in bytes/s: a share of the link's, in place of zero.
func rateOr(r units.Rate, p *Path, share float64) float64 {
	if r == 0 {
		return float64(float64(p.Rate) * share)
	}
	return float64(r)
}

// paced returns the limits of a flow that may leave at a rate (bytes/s), with a window in bytes.
func paced(rate float64, p *Path, window int64) Limits {
	if rate >= float64(p.Rate) {
		rate = 0
	}
	return Limits{Window: window, Rate: rate}
}

// unknown reports whether it is not known when a packet left.
func unknown(sent int64) bool { return sent < 0 }

// capacity returns how many bytes leave at a rate in bytes/s in a time (ps), rounded down.
func capacity(rate float64, time int64) int64 {
	return int64(math.Floor(rate / 1e12 * float64(time)))
}

// checker collects the mistakes in options.
type checker []topology.Mistake

// share demands a share from above 0 to 1, or 0 for the default.
func (c *checker) share(field string, f units.Fraction) {
	if f < 0 || f > units.Whole {
		*c = append(*c, topology.Mistake{
			Field: field, Found: f.String(), Expected: "a share from 0 to 1",
		})
	}
}

// positive demands of a value that it is not negative. Zero stands for the default.
func (c *checker) positive(field string, value int64, text fmt.Stringer) {
	if value < 0 {
		*c = append(*c, topology.Mistake{
			Field: field, Found: text.String(), Expected: "at least 0",
		})
	}
}

// time, rate and size demand values that are not negative.
func (c *checker) time(field string, t units.Time)  { c.positive(field, int64(t), t) }
func (c *checker) rate(field string, r units.Rate)  { c.positive(field, int64(r), r) }
func (c *checker) size(field string, b units.Bytes) { c.positive(field, int64(b), b) }

// count demands a number from 0 to most.
func (c *checker) count(field string, n, most int) {
	if n < 0 || n > most {
		*c = append(*c, topology.Mistake{
			Field: field, Found: fmt.Sprint(n), Expected: fmt.Sprintf("0 to %d", most),
		})
	}
}
