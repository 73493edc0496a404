package core

import "math"

// Span is a run of indices: first to end-1.
type Span struct{ First, End uint32 }

// ShareOf returns how many elements each of so many blocks gets that wants `most`. All of them
// together are numbered in 32 bits.
func ShareOf(most int64, blocks int) uint32 {
	return uint32(min(most, math.MaxUint32/int64(blocks)))
}

// SpanOf returns the elements of the block with a number, if each block has so many.
func SpanOf(block int, each uint32) Span {
	return Span{uint32(block) * each, uint32(block+1) * each}
}
