package core

import (
	"slices"
	"unsafe"

	"fabricast/internal/offheap"
)

// Chunk is the number of elements a pool grows by. A cell of few ranks (docs/long-runs.md) has pools
// of its own.
const Chunk = 256

// Pool hands out elements by index. The index freed last is handed out first, because its element
// is still in the cache; if none is free, those follow in ascending order that have never been handed
// out. Nothing touches these before, so they take no memory. Elements never move, so a pointer stays
// valid until its index is freed. Index 0 is never handed out: it means none.
//
// T begins with a uint32, in which the pool stores the next free element while the element itself
// is free. A separate list would cost another cache line.
type Pool[T any] struct {
	Chunks []*[Chunk]T
	free   uint32 // the one freed last; 0 if none is free
	used   uint32 // elements from this one on have never been handed out, and are zero; 0 means 1
}

// At returns the element with the index.
func (p *Pool[T]) At(i uint32) *T { return &p.Chunks[i/Chunk][i%Chunk] }

// Has reports whether there is an element with the index, used or not.
func (p *Pool[T]) Has(i uint32) bool { return i != 0 && int(i/Chunk) < len(p.Chunks) }

// Size returns one more than the highest index, used or not.
func (p *Pool[T]) Size() uint32 { return uint32(len(p.Chunks) * Chunk) }

// Alloc returns an unused element, zeroed.
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

// first returns an element that has never been handed out.
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

// spare returns a zeroed chunk for the pool: one that waits in its list behind those in use, or a new
// one. New chunks are made a sixteenth of the pool at a time, so that large pools lie in a few large
// pieces, for which the kernel can use huge pages.
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

// Release zeroes an element and makes its index available again.
func (p *Pool[T]) Release(i uint32) { p.Put(i, p.At(i)) }

// Put does what release does, for an element whose pointer is known.
func (p *Pool[T]) Put(i uint32, t *T) {
	var zero T
	*t = zero
	*nextFree(t) = p.free
	p.free = i
}

// nextFree returns the uint32 with which T begins.
func nextFree[T any](t *T) *uint32 { return (*uint32)(unsafe.Pointer(t)) }
