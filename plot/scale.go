package plot

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// scale maps values to positions on an axis.
type scale struct {
	low, high float64
	log       bool
}

// scale returns bounds that contain the values. A linear axis starts at 0 if fromZero is set or the
// values are close to 0, unless some values are negative.
func (a Axis) scale(values []float64, fromZero bool) scale {
	if a.Log {
		values = slices.DeleteFunc(values, func(v float64) bool { return v <= 0 })
	}
	s := scale{low: 0, high: 1, log: a.Log}
	if len(values) > 0 {
		s.low, s.high = slices.Min(values), slices.Max(values)
	}
	set := a.Min != 0 || a.Max != 0
	if set && finite(a.Min) && (!a.Log || a.Min > 0) {
		s.low = a.Min
	} else if !a.Log && s.low > 0 && (fromZero || s.low < s.high/2) {
		s.low = 0
	}
	if set && finite(a.Max) && a.Max > s.low {
		s.high = a.Max
	}
	if a.Log {
		s.low = max(s.low, math.SmallestNonzeroFloat64)
	}
	if s.high <= s.low { // a single value is drawn in the middle
		aside := max(math.Abs(s.low)/10, 1e-9)
		if !set {
			s.low -= aside
		}
		s.high += aside
	}
	if !set {
		s.round()
	}
	return s
}

// round extends the bounds of a linear scale to multiples of its step.
func (s *scale) round() {
	if s.log {
		return
	}
	step := s.step()
	s.low, s.high = math.Floor(s.low/step+1e-9)*step, math.Ceil(s.high/step-1e-9)*step
}

// place returns the position of a value on the axis: 0 at the low end, 1 at the high end. On a
// logarithmic axis, values of 0 and below get the position -1.
func (s scale) place(v float64) float64 {
	if !s.log {
		return (v - s.low) / (s.high - s.low)
	}
	if v <= 0 {
		return -1
	}
	return math.Log(v/s.low) / math.Log(s.high/s.low)
}

// step returns the distance between ticks of a linear scale: 1, 2 or 5 times a power of ten, which
// yields four to ten ticks.
func (s scale) step() float64 {
	rough := (s.high - s.low) / 6
	power := math.Pow(10, math.Floor(math.Log10(rough)))
	for _, m := range []float64{1, 2, 5} {
		if rough <= m*power {
			return m * power
		}
	}
	return 10 * power
}

func (s scale) ticks() []float64 {
	var list []float64
	if !s.log {
		step := s.step()
		for i := math.Ceil(s.low/step - 1e-9); i*step <= s.high+step*1e-9; i++ {
			list = append(list, i*step)
		}
		return list
	}
	base := 10.0
	if s.high/s.low < 50 {
		base = 2
	}
	if s.high/s.low < 4 { // powers of ten are too far apart
		return scale{low: s.low, high: s.high}.ticks()
	}
	for e := math.Ceil(math.Log(s.low)/math.Log(base) - 1e-9); math.Pow(base, e) <= s.high*(1+1e-9); e++ {
		list = append(list, math.Pow(base, e))
	}
	return list
}

// label formats the value of a tick, with T, G, M or k for large ones.
func label(v float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e4, "k"}} {
		if math.Abs(v) >= u.size {
			size := u.size
			if size == 1e4 {
				size = 1e3
			}
			return strconv.FormatFloat(v/size, 'g', 4, 64) + u.name
		}
	}
	if v == 0 {
		return "0" // not -0
	}
	text := strconv.FormatFloat(v, 'f', 4, 64)
	if math.Abs(v) < 0.001 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}
