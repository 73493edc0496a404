package core

import "unsafe"

// Bitmap is a set of VCs or ports of a router. Its length is not stored: callers pass the number of
// words.
type Bitmap struct{ First unsafe.Pointer }

func NewBitmap(words int) Bitmap {
	return Bitmap{unsafe.Pointer(unsafe.SliceData(make([]uint64, words)))}
}

// Word returns the 64-bit word w, which holds the members 64*w to 64*w+63.
func (m Bitmap) Word(w uint32) *uint64 { return (*uint64)(unsafe.Add(m.First, uintptr(w)*8)) }

// Next returns the bitmap that starts the given number of words after this one.
func (m Bitmap) Next(words uint32) Bitmap { return Bitmap{unsafe.Add(m.First, uintptr(words)*8)} }

func (m Bitmap) Has(i uint32) bool { return *m.Word(i >> 6)>>(i&63)&1 != 0 }

func (m Bitmap) Set(i uint32) { *m.Word(i >> 6) |= 1 << (i & 63) }

func (m Bitmap) Clear(i uint32) { *m.Word(i >> 6) &^= 1 << (i & 63) }

// Empty clears the given number of words, from the first one on.
func (m Bitmap) Empty(words uint32) {
	for w := range words {
		*m.Word(w) = 0
	}
}

// Any reports whether any bit is set in the given number of words, from the first one on.
func (m Bitmap) Any(words uint32) bool {
	for w := range words {
		if *m.Word(w) != 0 {
			return true
		}
	}
	return false
}

// Ones returns a word whose lowest n bits are set; n is 1 to 64.
func Ones(n uint32) uint64 { return ^uint64(0) >> ((64 - n) & 63) }

// Span returns the bits of the bitmap under a mask of consecutive ones, shifted so that bit 0 is
// the member `first`.
func (m Bitmap) Span(first uint32, mask uint64) uint64 {
	bits := *m.Word(first >> 6) >> (first & 63)
	if mask<<(first&63)>>(first&63) != mask {
		bits |= *m.Word(first>>6 + 1) << ((64 - first) & 63)
	}
	return bits & mask
}

// SetSpan sets the bits that Span returns for the same arguments.
func (m Bitmap) SetSpan(first uint32, mask uint64) {
	here := mask << (first & 63)
	*m.Word(first >> 6) |= here
	if here>>(first&63) != mask {
		*m.Word(first>>6 + 1) |= mask >> ((64 - first) & 63)
	}
}

// ClearSpan clears the bits that Span returns for the same arguments.
func (m Bitmap) ClearSpan(first uint32, mask uint64) {
	here := mask << (first & 63)
	*m.Word(first >> 6) &^= here
	if here>>(first&63) != mask {
		*m.Word(first>>6 + 1) &^= mask >> ((64 - first) & 63)
	}
}

// WordsOf returns the number of words of a bitmap with the given number of bits.
func WordsOf(bits int) int { return (bits + 63) / 64 }
