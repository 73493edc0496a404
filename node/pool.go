package node

// chunk is the number of elements a pool grows by.
const chunk = 1024

// pool hands out elements by index. Elements never move, so a pointer stays
// valid until its index is freed. Index 0 is never handed out: it means none.
type pool[T any] struct {
	chunks [][]T
	free   []uint32
	used   uint32 // indices below have been handed out before
}

// at returns the element with the index.
func (p *pool[T]) at(i uint32) *T { return &p.chunks[i/chunk][i%chunk] }

// alloc returns an unused element, zeroed.
func (p *pool[T]) alloc() (uint32, *T) {
	if n := len(p.free); n > 0 {
		i := p.free[n-1]
		p.free = p.free[:n-1]
		return i, p.at(i)
	}
	if p.used++; int(p.used/chunk) == len(p.chunks) {
		p.grow()
	}
	return p.used, p.at(p.used)
}

// grow adds a chunk.
func (p *pool[T]) grow() {
	if p.used == maxElements {
		panic(errFull)
	}
	p.chunks = append(p.chunks, make([]T, chunk))
}

// release zeroes an element and makes its index available again.
func (p *pool[T]) release(i uint32) {
	var zero T
	*p.at(i) = zero
	p.free = append(p.free, i)
}
