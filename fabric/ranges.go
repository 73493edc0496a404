package fabric

import "math"

// span is a run of indices: first to end-1.
type span struct{ first, end uint32 }

// shareOf returns how many elements each of so many blocks gets that wants `most`. All of them
// together are numbered in 32 bits.
func shareOf(most int64, blocks int) uint32 {
	return uint32(min(most, math.MaxUint32/int64(blocks)))
}

// spanOf returns the elements of the block with a number, if each block has so many.
func spanOf(block int, each uint32) span {
	return span{uint32(block) * each, uint32(block+1) * each}
}
