package fabric

import "unsafe"

// bitmap is a router's set of slots or ports. Of how many words it is is known where it is used.
type bitmap struct{ first unsafe.Pointer }

func newBitmap(words int) bitmap {
	return bitmap{unsafe.Pointer(unsafe.SliceData(make([]uint64, words)))}
}

// word is 64 bits, those from 64*w on.
func (m bitmap) word(w uint32) *uint64 { return (*uint64)(unsafe.Add(m.first, uintptr(w)*8)) }

func (m bitmap) has(i uint32) bool { return *m.word(i >> 6)>>(i&63)&1 != 0 }

func (m bitmap) set(i uint32) { *m.word(i >> 6) |= 1 << (i & 63) }

func (m bitmap) clear(i uint32) { *m.word(i >> 6) &^= 1 << (i & 63) }

// empty makes so many words 0.
func (m bitmap) empty(words uint32) {
	for w := range words {
		*m.word(w) = 0
	}
}

// any tells whether one of so many words has a bit.
func (m bitmap) any(words uint32) bool {
	for w := range words {
		if *m.word(w) != 0 {
			return true
		}
	}
	return false
}

// span is n consecutive bits, n at most 64.
func (m bitmap) span(first, n uint32) uint64 {
	bits := *m.word(first >> 6) >> (first & 63)
	if first&63+n > 64 {
		bits |= *m.word(first>>6 + 1) << ((64 - first) & 63)
	}
	return bits & (1<<(n-1)<<1 - 1)
}

// setSpan sets n consecutive bits, n at most 64.
func (m bitmap) setSpan(first, n uint32) {
	ones := uint64(1)<<((n-1)&63)<<1 - 1
	*m.word(first >> 6) |= ones << (first & 63)
	if first&63+n > 64 {
		*m.word(first>>6 + 1) |= ones >> ((64 - first) & 63)
	}
}

// clearSpan clears n consecutive bits, n at most 64.
func (m bitmap) clearSpan(first, n uint32) {
	ones := uint64(1)<<((n-1)&63)<<1 - 1
	*m.word(first >> 6) &^= ones << (first & 63)
	if first&63+n > 64 {
		*m.word(first>>6 + 1) &^= ones >> ((64 - first) & 63)
	}
}

// wordsOf is how many words a bitmap takes.
func wordsOf(bits int) int { return (bits + 63) / 64 }
