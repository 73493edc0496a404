package ethernet

import "fabricast/internal/snapshot"

// ring is a queue of values in a circular buffer that grows.
type ring[T any] struct {
	list  []T // its length is a power of two, or 0
	first uint32
	count uint32
}

func (r *ring[T]) at(i uint32) *T { return &r.list[(r.first+i)&uint32(len(r.list)-1)] }

func (r *ring[T]) push(v T) {
	if int(r.count) == len(r.list) {
		list := make([]T, max(4, 2*len(r.list)))
		for i := range r.count {
			list[i] = *r.at(i)
		}
		r.list, r.first = list, 0
	}
	r.count++
	*r.at(r.count - 1) = v
}

func (r *ring[T]) pop() T {
	v := *r.at(0)
	r.first, r.count = r.first+1, r.count-1
	return v
}

// state visits the queue.
func (r *ring[T]) state(v *snapshot.Visitor) {
	count := v.Length(int(r.count))
	if v.Restores() {
		size := 0
		for size < count {
			size = max(4, 2*size)
		}
		*r = ring[T]{list: make([]T, size), count: uint32(count)}
	}
	for i := range uint32(count) {
		snapshot.Value(v, r.at(i))
	}
}

// bitmap holds a bit for each number from a first one on.
type bitmap struct {
	words []uint64 // their number is a power of two, or 0
	first uint32
	end   uint32 // bits from here on are 0
}

// has returns the bit of a number.
func (m *bitmap) has(n uint32) bool {
	return n >= m.first && n < m.end && m.words[n>>6&uint32(len(m.words)-1)]>>(n&63)&1 != 0
}

// set sets the bit of a number, which must not be below first.
func (m *bitmap) set(n uint32) {
	for int(n>>6-m.first>>6) >= len(m.words) {
		m.grow()
	}
	m.words[n>>6&uint32(len(m.words)-1)] |= 1 << (n & 63)
	m.end = max(m.end, n+1)
}

func (m *bitmap) grow() {
	words := make([]uint64, max(2, 2*len(m.words)))
	if len(m.words) > 0 {
		for i := range uint32(len(m.words)) {
			at := m.first>>6 + i
			words[at&uint32(len(words)-1)] = m.words[at&uint32(len(m.words)-1)]
		}
	}
	m.words = words
}

// skip moves first to the first number at or after it whose bit is 0, and clears the bits before.
// It returns how many it has passed.
func (m *bitmap) skip() (passed uint32) {
	for m.has(m.first) {
		m.words[m.first>>6&uint32(len(m.words)-1)] &^= 1 << (m.first & 63)
		m.first++
		passed++
	}
	m.end = max(m.end, m.first)
	return passed
}

// from returns the bits of 64 numbers.
func (m *bitmap) from(n uint32) (bits uint64) {
	for i := range uint32(64) {
		if m.has(n + i) {
			bits |= 1 << i
		}
	}
	return bits
}
