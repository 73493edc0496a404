package fabric

import "unsafe"

// bitmap is a router's set of slots or ports. Of how many words it is is known where it is used.
type bitmap struct{ first unsafe.Pointer }

func newBitmap(words int) bitmap {
	return bitmap{unsafe.Pointer(unsafe.SliceData(make([]uint64, words)))}
}

// word is 64 bits, those from 64*w on.
func (m bitmap) word(w uint32) *uint64 { return (*uint64)(unsafe.Add(m.first, uintptr(w)*8)) }

// next is the bitmap that begins so many words later.
func (m bitmap) next(words uint32) bitmap { return bitmap{unsafe.Add(m.first, uintptr(words)*8)} }

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

// ones is the lowest n bits, n from 1 to 64.
func ones(n uint32) uint64 { return ^uint64(0) >> ((64 - n) & 63) }

// span is the bits of a mask, of consecutive ones from 0 on, shifted to begin with `first`.
func (m bitmap) span(first uint32, mask uint64) uint64 {
	bits := *m.word(first >> 6) >> (first & 63)
	if mask<<(first&63)>>(first&63) != mask {
		bits |= *m.word(first>>6 + 1) << ((64 - first) & 63)
	}
	return bits & mask
}

// setSpan sets the bits that span gives.
func (m bitmap) setSpan(first uint32, mask uint64) {
	here := mask << (first & 63)
	*m.word(first >> 6) |= here
	if here>>(first&63) != mask {
		*m.word(first>>6 + 1) |= mask >> ((64 - first) & 63)
	}
}

// clearSpan clears the bits that span gives.
func (m bitmap) clearSpan(first uint32, mask uint64) {
	here := mask << (first & 63)
	*m.word(first >> 6) &^= here
	if here>>(first&63) != mask {
		*m.word(first>>6 + 1) &^= mask >> ((64 - first) & 63)
	}
}

// wordsOf is how many words a bitmap takes.
func wordsOf(bits int) int { return (bits + 63) / 64 }
