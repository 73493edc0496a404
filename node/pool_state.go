package node

import "fabricast/internal/snapshot"

// state goes over the elements of a pool that have ever been handed out. The others are zero.
func (p *pool[T]) state(v *snapshot.Visitor) {
	before, had := p.used, len(p.chunks)
	snapshot.Value(v, &p.used)
	p.resize(v.Length(len(p.chunks)))
	for i, c := range p.chunks {
		n := p.usedOf(i, p.used)
		snapshot.Values(v, c[:n])
		if touched := p.usedOf(i, before); v.Restores() && i < had && n < touched {
			clear(c[n:touched])
		}
	}
	snapshot.Value(v, &p.free)
}

// usedOf returns how many elements of a chunk lie before an index.
func (p *pool[T]) usedOf(i int, index uint32) int {
	return max(0, min(int(index)-i*chunk, chunk))
}

// resize makes the pool have so many chunks. It keeps those that are too many for later.
func (p *pool[T]) resize(chunks int) {
	if chunks <= len(p.chunks) {
		p.chunks = p.chunks[:chunks]
		return
	}
	for len(p.chunks) < chunks {
		next := p.spare()
		p.chunks = append(p.chunks, next)
	}
}
