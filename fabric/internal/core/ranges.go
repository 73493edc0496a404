package core

import "math"

// Span is a range of indices, First to End-1.
type Span struct{ First, End uint32 }

// ShareOf returns the number of elements of each of the given number of blocks. It is `most`,
// unless the elements of all blocks could then not be numbered with 32 bits.
func ShareOf(most int64, blocks int) uint32 {
	return uint32(min(most, math.MaxUint32/int64(blocks)))
}

// SpanOf returns the elements of a block if each block has the given number of elements.
func SpanOf(block int, each uint32) Span {
	return Span{uint32(block) * each, uint32(block+1) * each}
}
