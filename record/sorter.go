package record

import (
	"cmp"
	"slices"
)

// sorter sorts things by a time, and those of one time by a number. Times of one sort differ little, so it
// sorts by their differences from the first, a digit after the other (LSD radix sort; Knuth, The Art of
// Computer Programming, volume 3, section 5.2.5).
type sorter[T any] struct {
	list, other []sorted[T]
	first, last int64
	most        int32 // largest number
}

// sorted is a thing with its time and number.
type sorted[T any] struct {
	time   int64
	number int32
	of     T
}

func (s *sorter[T]) reset() { s.list, s.first, s.last, s.most = s.list[:0], 1<<63-1, -1<<63, 0 }

// add adds a thing. Its number must not be negative.
func (s *sorter[T]) add(time int64, number int32, of T) {
	s.list = append(s.list, sorted[T]{time, number, of})
	s.first, s.last, s.most = min(s.first, time), max(s.last, time), max(s.most, number)
}

const (
	digitBits = 11
	digits    = 1 << digitBits
)

// sort returns all that was added, ordered by time and number. compare orders what has the same time and
// number. The result is valid until the next reset.
func (s *sorter[T]) sort(compare func(a, b T) int) []sorted[T] {
	if len(s.list) < digits || uint64(s.last)-uint64(s.first) >= 1<<(4*digitBits) {
		slices.SortFunc(s.list, func(a, b sorted[T]) int {
			return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.number, b.number))
		})
	} else {
		s.byDigits()
	}
	for begin := 0; begin < len(s.list); {
		end := begin + 1
		for end < len(s.list) && s.list[end].time == s.list[begin].time && s.list[end].number == s.list[begin].number {
			end++
		}
		if end > begin+1 {
			slices.SortFunc(s.list[begin:end], func(a, b sorted[T]) int { return compare(a.of, b.of) })
		}
		begin = end
	}
	return s.list
}

// byDigits orders the list by time and number.
func (s *sorter[T]) byDigits() {
	s.other = slices.Grow(s.other[:0], len(s.list))[:len(s.list)]
	numbers := 0 // bits of the digits of numbers
	for s.most>>numbers > 0 {
		numbers += digitBits
	}
	for shift := 0; shift < numbers || (s.last-s.first)>>(shift-numbers) > 0; shift += digitBits {
		var places [digits]int32
		for i := range s.list {
			places[s.list[i].digit(s.first, shift, numbers)]++
		}
		next := int32(0)
		for d, n := range places {
			places[d] = next
			next += n
		}
		for i := range s.list {
			d := s.list[i].digit(s.first, shift, numbers)
			s.other[places[d]] = s.list[i]
			places[d]++
		}
		s.list, s.other = s.other, s.list
	}
}

// digit returns the digit from bit shift on of a thing's number, which is followed by its time from first.
// The number has that many bits.
func (a *sorted[T]) digit(first int64, shift, numbers int) int {
	if shift < numbers {
		return int(a.number>>shift) & (digits - 1)
	}
	return int((a.time-first)>>(shift-numbers)) & (digits - 1)
}
