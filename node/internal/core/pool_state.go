package core

import "fabricast/internal/snapshot"

// State goes over the elements of a pool that have ever been handed out. The others are zero.
func (p *Pool[T]) State(v *snapshot.Visitor) {
	before, had := p.used, len(p.Chunks)
	snapshot.Value(v, &p.used)
	p.resize(v.Length(len(p.Chunks)))
	for i, c := range p.Chunks {
		n := p.usedOf(i, p.used)
		snapshot.Values(v, c[:n])
		if touched := p.usedOf(i, before); v.Restores() && i < had && n < touched {
			clear(c[n:touched])
		}
	}
	snapshot.Value(v, &p.free)
}

// usedOf returns how many elements of a chunk lie before an index.
func (p *Pool[T]) usedOf(i int, index uint32) int {
	return max(0, min(int(index)-i*Chunk, Chunk))
}

// resize makes the pool have so many chunks. It keeps those that are too many for later.
func (p *Pool[T]) resize(chunks int) {
	if chunks <= len(p.Chunks) {
		p.Chunks = p.Chunks[:chunks]
		return
	}
	for len(p.Chunks) < chunks {
		next := p.spare()
		p.Chunks = append(p.Chunks, next)
	}
}
