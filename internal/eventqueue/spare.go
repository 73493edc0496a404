package eventqueue

import "math/bits"

// spare keeps the memory of lists that are no longer used, by the binary logarithm of their
// capacity, which is a power of two. If each list kept its own, models that do much in step would need
// the memory of all their events many times.
type spare [64][][]Event

// leastCapacity is the capacity of the shortest lists.
const leastCapacity = 4

// append appends an event to a list.
func (s *spare) append(list []Event, e Event) []Event {
	if len(list) == cap(list) {
		longer := s.take(max(leastCapacity, 2*cap(list)))
		longer = append(longer, list...)
		s.give(list)
		list = longer
	}
	return append(list, e)
}

// take returns an empty list for at least n events.
func (s *spare) take(n int) []Event {
	class := bits.Len(uint(n - 1))
	if kept := s[class]; len(kept) > 0 {
		list := kept[len(kept)-1]
		s[class] = kept[:len(kept)-1]
		return list
	}
	return make([]Event, 0, 1<<class)
}

// give keeps the memory of a list.
func (s *spare) give(list []Event) {
	if cap(list) > 0 {
		class := bits.Len(uint(cap(list) - 1))
		s[class] = append(s[class], list[:0])
	}
}
