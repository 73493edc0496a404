// Package offheap provides large, zeroed arrays outside the Go heap. The garbage collector neither
// scans nor counts them, the kernel backs them with huge pages if possible, and they use memory
// only where they have been touched.
package offheap

import "unsafe"

// Arena owns the arrays made from it, and frees them all at once. It is not safe for concurrent
// use.
type Arena struct {
	// Growing means that possibly only the beginning of each array will be used. The kernel is then
	// not asked for huge pages there, each of which would have to be found and zeroed for a few
	// records.
	Growing bool
	maps    [][]byte
}

// firstPages is the size in bytes of the beginning of growing arrays, which gets no huge pages.
const firstPages = 2 << 20

// Make returns a zeroed array of n elements. T must not contain Go pointers, because the garbage
// collector does not see them. The array must not be used after Free.
func Make[T any](a *Arena, n int) ([]T, error) {
	var zero T
	size := uintptr(n) * unsafe.Sizeof(zero)
	if size == 0 {
		return nil, nil
	}
	first := uintptr(0)
	if a.Growing {
		first = firstPages
	}
	m, err := reserve(size, first)
	if err != nil {
		return nil, err
	}
	a.maps = append(a.maps, m)
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(m))), n), nil
}

// Free returns all arrays to the operating system.
func (a *Arena) Free() {
	for _, m := range a.maps {
		release(m)
	}
	a.maps = nil
}
