// Package offheap provides large, zeroed arrays outside the Go heap. The garbage collector neither
// scans nor counts them. The kernel backs them with huge pages if possible, and only pages that
// have been touched use memory.
package offheap

import "unsafe"

// Arena owns the arrays made from it, and frees them all at once. It is not safe for concurrent
// use.
type Arena struct {
	// Growing means that possibly only the start of each array will be used. Huge pages are then
	// not requested there, since the kernel would have to find and clear a whole huge page for a
	// few records.
	Growing bool
	// Parts is the number of equal parts of each array, if Growing is true; then only the start of
	// each part may be used. 0 means 1.
	Parts int
	// Large means that the arrays together are so large that two or three additional huge pages do
	// not matter. Then the start of Growing arrays gets huge pages, too, and arrays smaller than a
	// huge page share one. Otherwise only arrays of few pages share a mapping.
	Large bool
	part  [2]float64 // the part of each array that will be used; zero: all
	maps  [][]byte
	rest  []byte // of the mapping from which small arrays are cut
}

// UsePart announces that, of each array made from now on, little more will be used than parts first
// to end-1 of `of` equal parts. Huge pages are requested only inside this range, because at its
// edges they would include unused memory.
func (a *Arena) UsePart(first, end, of int) {
	a.part = [2]float64{float64(first) / float64(of), float64(end) / float64(of)}
}

const (
	chunk    = 32 << 20 // size of a mapping from which arrays of a Large arena are cut
	few      = 32 << 10 // size of arrays that share a mapping in any arena
	fewChunk = 1 << 20  // and of that mapping: small networks would spend much of their time with mappings
	lineSize = 64       // size of a cache line; each array that shares a mapping starts at one
)

// cut returns the memory of a small array from a shared mapping.
func (a *Arena) cut(size uintptr) ([]byte, error) {
	size = (size + lineSize - 1) &^ (lineSize - 1)
	if uintptr(len(a.rest)) < size {
		length, huge := uintptr(fewChunk), []extent(nil)
		if a.large() {
			length, huge = chunk, []extent{{0, chunk}}
		}
		m, err := reserve(length, huge)
		if err != nil {
			return nil, err
		}
		a.maps, a.rest = append(a.maps, m), m
	}
	m := a.rest[:size]
	a.rest = a.rest[size:]
	return m, nil
}

// together reports whether an array of size bytes shares a mapping with others.
func (a *Arena) together(size uintptr) bool { return size <= few || a.large() && size <= chunk/4 }

// large reports whether arrays share huge pages.
func (a *Arena) large() bool { return a.Large && !a.Growing && a.part == [2]float64{} }

// extent is a range of the bytes of an array.
type extent struct{ first, end uintptr }

// huge returns the ranges of an array of size bytes for which huge pages are requested.
func (a *Arena) huge(size uintptr) []extent {
	switch {
	case a.part != [2]float64{}:
		return []extent{{uintptr(a.part[0] * float64(size)), uintptr(a.part[1] * float64(size))}}
	case !a.Growing:
		return []extent{{0, size}}
	}
	var list []extent
	parts := uintptr(max(1, a.Parts))
	for p := range parts {
		first, end := p*size/parts, (p+1)*size/parts
		if !a.Large {
			first = min(first+firstPages, end)
		}
		list = append(list, extent{first, end})
	}
	return list
}

// firstPages is the size in bytes of the start of growing arrays that gets no huge pages, unless
// Large.
const firstPages = 2 << 20

// Make returns a zeroed array of n elements. T must not contain Go pointers, because the garbage
// collector does not see them. The array must not be used after Free.
func Make[T any](a *Arena, n int) ([]T, error) {
	var zero T
	size := uintptr(n) * unsafe.Sizeof(zero)
	if size == 0 {
		return nil, nil
	}
	m, err := a.take(size)
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(m))), n), nil
}

// take returns the memory of an array of size bytes.
func (a *Arena) take(size uintptr) ([]byte, error) {
	if a.together(size) {
		return a.cut(size)
	}
	m, err := reserve(size, a.huge(size))
	if err != nil {
		return nil, err
	}
	a.maps = append(a.maps, m)
	return m, nil
}

// Free returns all arrays to the operating system.
func (a *Arena) Free() {
	for _, m := range a.maps {
		release(m)
	}
	a.maps, a.rest = nil, nil
}
