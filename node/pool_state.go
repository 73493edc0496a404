package node

import "fabricast/internal/snapshot"

// state goes over the elements of a pool that have ever been handed out. The others are zero, but for
// the next free element: the one behind it, or, of the last one of a chunk, what was free when the
// pool grew.
func (p *pool[T]) state(v *snapshot.Visitor) {
	before, had := p.used, len(p.chunks)
	snapshot.Value(v, &p.used)
	p.resize(v.Length(len(p.chunks)))
	for i, c := range p.chunks {
		n := p.usedOf(i, p.used)
		snapshot.Values(v, c[:n])
		if n == chunk {
			continue
		}
		if v.Restores() {
			touched := p.usedOf(i, before)
			if i >= had {
				touched = chunk
			}
			p.renew(i, n, touched)
		}
		snapshot.Value(v, nextFree(&c[chunk-1]))
	}
	snapshot.Value(v, &p.free)
	free := int64(p.nFree)
	snapshot.Value(v, &free)
	p.nFree = int(free)
}

// usedOf returns how many elements of a chunk lie before an index.
func (p *pool[T]) usedOf(i int, index uint32) int {
	return max(0, min(int(index)-i*chunk, chunk))
}

// renew makes elements of a chunk, from first to end-1, what they are before they are handed out for
// the first time.
func (p *pool[T]) renew(i, first, end int) {
	c := p.chunks[i]
	if i == 0 {
		first = max(first, 1) // element 0 is never handed out, and links to nothing
	}
	if first >= end {
		return
	}
	clear(c[first:end])
	for k := first; k < end; k++ {
		*nextFree(&c[k]) = uint32(i*chunk + k + 1)
	}
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
