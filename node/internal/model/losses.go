package model

import (
	"slices"

	"fabricast/internal/units"
)

// Losses are recorded times at which a processor was lost. They do not touch, and come in ascending
// order.
type Losses struct {
	begins, ends []int64 // of each loss (ps)
}

// Add adds a loss that begins at a time not before the previous one. Losses that overlap or touch
// become one. It reports whether the loss comes in order.
func (l *Losses) Add(begin, duration units.Time) bool {
	last := len(l.ends) - 1
	switch {
	case begin < 0 || duration < 0:
		return false
	case last >= 0 && int64(begin) < l.begins[last]:
		return false
	case duration == 0:
	case last >= 0 && int64(begin) <= l.ends[last]:
		l.ends[last] = max(l.ends[last], int64(begin+duration))
	default:
		l.begins, l.ends = append(l.begins, int64(begin)), append(l.ends, int64(begin+duration))
	}
	return true
}

// Len returns the number of losses.
func (l *Losses) Len() int { return len(l.ends) }

// Span returns the time after which the losses repeat: from the beginning of the recording to the
// end of the last loss, and the mean time between two losses.
func (l *Losses) Span() units.Time {
	n := len(l.ends)
	if n == 0 {
		return 0
	}
	span := l.ends[n-1]
	lost := int64(0)
	for i, end := range l.ends {
		lost += end - l.begins[i]
	}
	return units.Time(span + max(1, (span-lost)/int64(n)))
}

// Lost returns the sum of the durations of the losses.
func (l *Losses) Lost() units.Time {
	lost := int64(0)
	for i, end := range l.ends {
		lost += end - l.begins[i]
	}
	return units.Time(lost)
}

// free returns what Noise.Free does, for a rank whose time t is at in a recording that repeats after
// span (ps). ahead is the difference of at and t.
func (l *Losses) free(at, span, ahead int64) (from, next int64) {
	lap, within := at/span*span, at%span
	i, _ := slices.BinarySearch(l.ends, within+1) // the first loss that ends after it
	begin := func(i int) int64 {
		if i < len(l.begins) {
			return lap + l.begins[i] - ahead
		}
		return lap + span + l.begins[0] - ahead
	}
	if i < len(l.begins) && l.begins[i] <= within {
		return lap + l.ends[i] - ahead, begin(i + 1)
	}
	return at - ahead, begin(i)
}
