package fabric

import "unsafe"

// bitmap is a set of a router's slots or ports. Its length is not stored: callers pass the number
// of words.
type bitmap struct{ first unsafe.Pointer }

func newBitmap(words int) bitmap {
	return bitmap{unsafe.Pointer(unsafe.SliceData(make([]uint64, words)))}
}

// word returns the 64-bit word w, which holds the members 64*w to 64*w+63.
func (m bitmap) word(w uint32) *uint64 { return (*uint64)(unsafe.Add(m.first, uintptr(w)*8)) }

// next returns the bitmap that begins so many words after this one.
func (m bitmap) next(words uint32) bitmap { return bitmap{unsafe.Add(m.first, uintptr(words)*8)} }

func (m bitmap) has(i uint32) bool { return *m.word(i >> 6)>>(i&63)&1 != 0 }

func (m bitmap) set(i uint32) { *m.word(i >> 6) |= 1 << (i & 63) }

func (m bitmap) clear(i uint32) { *m.word(i >> 6) &^= 1 << (i & 63) }

// empty clears the first words of the bitmap.
func (m bitmap) empty(words uint32) {
	for w := range words {
		*m.word(w) = 0
	}
}

// any reports whether a bit is set in the first words of the bitmap.
func (m bitmap) any(words uint32) bool {
	for w := range words {
		if *m.word(w) != 0 {
			return true
		}
	}
	return false
}

// ones returns a word whose lowest n bits are set; n is 1 to 64.
func ones(n uint32) uint64 { return ^uint64(0) >> ((64 - n) & 63) }

// span returns the bits of the bitmap under a mask of consecutive ones, shifted so that bit 0 is
// the member `first`.
func (m bitmap) span(first uint32, mask uint64) uint64 {
	bits := *m.word(first >> 6) >> (first & 63)
	if mask<<(first&63)>>(first&63) != mask {
		bits |= *m.word(first>>6 + 1) << ((64 - first) & 63)
	}
	return bits & mask
}

// setSpan sets the bits that span returns for the same arguments.
func (m bitmap) setSpan(first uint32, mask uint64) {
	here := mask << (first & 63)
	*m.word(first >> 6) |= here
	if here>>(first&63) != mask {
		*m.word(first>>6 + 1) |= mask >> ((64 - first) & 63)
	}
}

// clearSpan clears the bits that span returns for the same arguments.
func (m bitmap) clearSpan(first uint32, mask uint64) {
	here := mask << (first & 63)
	*m.word(first >> 6) &^= here
	if here>>(first&63) != mask {
		*m.word(first>>6 + 1) &^= mask >> ((64 - first) & 63)
	}
}

// wordsOf returns the number of words that a bitmap of so many bits takes.
func wordsOf(bits int) int { return (bits + 63) / 64 }
