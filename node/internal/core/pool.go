package core

import (
	"slices"
	"unsafe"

	"fabricast/internal/offheap"
)

// Chunk is the number of elements by which a pool grows. A cell with few ranks (docs/long-runs.md)
// has pools of its own.
const Chunk = 256

// Pool allocates elements by index. The index that was freed last is reused first, because its
// element is still in the cache. If no index is free, unused indices follow in ascending order;
// their elements have never been touched, so they take no memory. Elements never move, so a pointer
// stays valid until its index is freed. Index 0 is never allocated: it means none.
//
// T starts with a uint32, in which the pool stores the index of the next free element while the
// element itself is free. A separate list would cost another cache line.
type Pool[T any] struct {
	Chunks []*[Chunk]T
	free   uint32 // index that was freed last; 0 if none is free
	used   uint32 // elements from this index on have never been allocated, and are zero; 0 means 1
}

// At returns the element with the index.
func (p *Pool[T]) At(i uint32) *T { return &p.Chunks[i/Chunk][i%Chunk] }

// Has reports whether there is an element with index i, allocated or not.
func (p *Pool[T]) Has(i uint32) bool { return i != 0 && int(i/Chunk) < len(p.Chunks) }

// Size returns one more than the highest index, allocated or not.
func (p *Pool[T]) Size() uint32 { return uint32(len(p.Chunks) * Chunk) }

// Alloc allocates a zeroed element.
func (p *Pool[T]) Alloc() (uint32, *T) {
	i := p.free
	if i == 0 {
		return p.first()
	}
	t := p.At(i)
	link := nextFree(t)
	p.free, *link = *link, 0
	return i, t
}

// first allocates an element that has never been allocated before.
func (p *Pool[T]) first() (uint32, *T) {
	i := max(p.used, 1)
	for i >= p.Size() {
		p.grow()
	}
	p.used = i + 1
	return i, p.At(i)
}

// grow adds a chunk.
func (p *Pool[T]) grow() {
	if len(p.Chunks)*Chunk >= maxElements {
		panic(errFull)
	}
	p.Chunks = append(p.Chunks, p.spare())
}

// spare returns a zeroed chunk for the pool: an unused one from its list, or a new one. New chunks
// are allocated together, a sixteenth of the pool at a time, so that large pools consist of a few
// large pieces, for which the kernel can use huge pages.
func (p *Pool[T]) spare() *[Chunk]T {
	n := len(p.Chunks)
	if n < cap(p.Chunks) {
		if c := p.Chunks[:n+1][n]; c != nil {
			clear(c[:])
			return c
		}
	}
	more := make([][Chunk]T, max(1, n/16))
	offheap.HugePages(more)
	all := slices.Grow(p.Chunks, len(more))[:n+len(more)]
	for i := range more {
		all[n+i] = &more[i]
	}
	p.Chunks = all[:n]
	return &more[0]
}

// Release frees an element: it zeroes the element and makes its index available again.
func (p *Pool[T]) Release(i uint32) { p.Put(i, p.At(i)) }

// Put is like Release, for an element whose pointer is known.
func (p *Pool[T]) Put(i uint32, t *T) {
	var zero T
	*t = zero
	*nextFree(t) = p.free
	p.free = i
}

// nextFree returns the leading uint32 of an element.
func nextFree[T any](t *T) *uint32 { return (*uint32)(unsafe.Pointer(t)) }
