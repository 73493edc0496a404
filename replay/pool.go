package replay

// chunk is the number of elements that a pool allocates at once.
const chunk = 1024

// pool allocates elements that are identified by an index. Elements never move in memory. Index 0
// is never allocated and means none.
type pool[T any] struct {
	chunks []*[chunk]T
	free   []uint32
}

// at returns element i.
func (p *pool[T]) at(i uint32) *T { return &p.chunks[i/chunk][i%chunk] }

// alloc allocates an element with the zero value. It returns the index of the element and a pointer
// to it.
func (p *pool[T]) alloc() (uint32, *T) {
	if len(p.free) == 0 {
		first := uint32(len(p.chunks) * chunk)
		p.chunks = append(p.chunks, new([chunk]T))
		for i := first + chunk - 1; i > first; i-- {
			p.free = append(p.free, i)
		}
		if first != 0 {
			p.free = append(p.free, first)
		}
	}
	i := p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	return i, p.at(i)
}

// release frees element i.
func (p *pool[T]) release(i uint32) {
	var zero T
	*p.at(i) = zero
	p.free = append(p.free, i)
}

// list is a linked list of elements of a pool: the indices of its first and last element.
type list struct{ first, last uint32 }

// push appends element i. link returns a pointer to the field of an element that holds the index of
// the next one.
func (l *list) push(i uint32, link func(i uint32) *uint32) {
	*link(i) = 0
	if l.first == 0 {
		l.first = i
	} else {
		*link(l.last) = i
	}
	l.last = i
}

// pop removes and returns the first element; 0 if there is none.
func (l *list) pop(link func(i uint32) *uint32) uint32 {
	i := l.first
	if i != 0 {
		l.first = *link(i)
	}
	return i
}
