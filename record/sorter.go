package record

import (
	"cmp"
	"slices"
)

// sorter sorts things by a time. Times of one sort differ little, so it sorts by their differences from the
// first, a digit after the other (LSD radix sort; Knuth, The Art of Computer Programming, volume 3, section
// 5.2.5).
type sorter[T any] struct {
	list, other []sorted[T]
	first, last int64
}

// sorted is a thing with its time.
type sorted[T any] struct {
	time int64
	of   T
}

func (s *sorter[T]) reset() { s.list, s.first, s.last = s.list[:0], 1<<63-1, -1<<63 }

func (s *sorter[T]) add(time int64, of T) {
	s.list = append(s.list, sorted[T]{time, of})
	s.first, s.last = min(s.first, time), max(s.last, time)
}

const (
	digitBits = 11
	digits    = 1 << digitBits
)

// sort returns all that was added, ordered by time. compare orders what has the same time. The result is
// valid until the next reset.
func (s *sorter[T]) sort(compare func(a, b T) int) []sorted[T] {
	if len(s.list) < digits || uint64(s.last)-uint64(s.first) >= 1<<(4*digitBits) {
		slices.SortFunc(s.list, func(a, b sorted[T]) int { return cmp.Compare(a.time, b.time) })
	} else {
		s.byDigits()
	}
	for begin := 0; begin < len(s.list); {
		end := begin + 1
		for end < len(s.list) && s.list[end].time == s.list[begin].time {
			end++
		}
		if end > begin+1 {
			slices.SortFunc(s.list[begin:end], func(a, b sorted[T]) int { return compare(a.of, b.of) })
		}
		begin = end
	}
	return s.list
}

// byDigits orders the list by time.
func (s *sorter[T]) byDigits() {
	s.other = slices.Grow(s.other[:0], len(s.list))[:len(s.list)]
	for shift := 0; (s.last-s.first)>>shift > 0; shift += digitBits {
		var places [digits]int32
		for i := range s.list {
			places[(s.list[i].time-s.first)>>shift&(digits-1)]++
		}
		next := int32(0)
		for d, n := range places {
			places[d] = next
			next += n
		}
		for i := range s.list {
			d := (s.list[i].time - s.first) >> shift & (digits - 1)
			s.other[places[d]] = s.list[i]
			places[d]++
		}
		s.list, s.other = s.other, s.list
	}
}
