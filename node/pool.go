package node

// chunk is the number of elements a pool grows by.
const chunk = 1024

// pool hands out elements by index. Elements never move, so a pointer stays
// valid until its index is freed. Index 0 is never handed out: it means none.
type pool[T any] struct {
	chunks [][]T
	// The indexes that are free, a stack in as many chunks as the elements: one slice would leave
	// a trail of outgrown copies of itself.
	free  [][]uint32
	nFree int
}

// at returns the element with the index.
func (p *pool[T]) at(i uint32) *T { return &p.chunks[i/chunk][i%chunk] }

// has tells whether there is an element with the index, used or not.
func (p *pool[T]) has(i uint32) bool { return i != 0 && int(i/chunk) < len(p.chunks) }

// alloc returns an unused element, zeroed.
func (p *pool[T]) alloc() (uint32, *T) {
	if p.nFree == 0 {
		p.grow()
	}
	return p.take()
}

// take is alloc for callers that have reserved.
func (p *pool[T]) take() (uint32, *T) {
	p.nFree--
	i := p.free[p.nFree/chunk][p.nFree%chunk]
	return i, p.at(i)
}

// reserve makes sure that n elements can be taken.
func (p *pool[T]) reserve(n int) {
	for p.nFree < n {
		p.grow()
	}
}

// grow adds a chunk, to be handed out in ascending order.
func (p *pool[T]) grow() {
	first := uint32(len(p.chunks) * chunk)
	if first >= maxElements {
		panic(errFull)
	}
	p.chunks = append(p.chunks, make([]T, chunk))
	p.free = append(p.free, make([]uint32, chunk))
	for i := first + chunk - 1; i > first; i-- {
		p.push(i)
	}
	if first != 0 {
		p.push(first)
	}
}

// release zeroes an element and makes its index available again.
func (p *pool[T]) release(i uint32) {
	var zero T
	*p.at(i) = zero
	p.push(i)
}

// push notes that an index is free.
func (p *pool[T]) push(i uint32) {
	p.free[p.nFree/chunk][p.nFree%chunk] = i
	p.nFree++
}
