package core

import "fabricast/internal/snapshot"

// State saves or restores the elements of a pool that have ever been allocated. The others are
// zero.
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

// usedOf returns the number of elements of chunk i that precede an index.
func (p *Pool[T]) usedOf(i int, index uint32) int {
	return max(0, min(int(index)-i*Chunk, Chunk))
}

// resize changes the number of chunks. Excess chunks are kept for later use.
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
