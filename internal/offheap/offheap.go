// Package offheap provides large, zeroed arrays outside the Go heap: the
// garbage collector neither scans nor counts them, the kernel backs them
// with huge pages where it can, and memory is used only once it is touched.
package offheap

import "unsafe"

// Arena owns the arrays made from it, and gives all of them back at once.
// It is not safe for concurrent use.
type Arena struct {
	// Growing says that of the arrays only the beginning may ever be used: the kernel is then not asked for huge
	// pages for it, each of which would have to be found and zeroed for a few records.
	Growing bool
	maps    [][]byte
}

// firstPages is the size in bytes of the beginning that is without huge pages where arrays grow.
const firstPages = 2 << 20

// Make returns a zeroed array of n elements. T must hold no Go pointers: the
// garbage collector does not see them. The array must not be used after Free.
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

// Free gives all arrays back to the operating system.
func (a *Arena) Free() {
	for _, m := range a.maps {
		release(m)
	}
	a.maps = nil
}
