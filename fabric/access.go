package fabric

import (
	"unsafe"

	"fabricast/internal/invariants"
	"fabricast/internal/offheap"
)

// array is a pointer to the first element of an array that is indexed in the
// engine's inner loop. An element is reached by one addition, and kept as one
// pointer, where a slice makes the compiler keep and spill base and index; builds
// that check invariants check the index. The arrays lie outside the Go heap, or
// are kept alive by the layout.
type array[T any] struct {
	first unsafe.Pointer
	n     uint32 // elements, for checking
}

func arrayOf[T any](s []T) array[T] {
	return array[T]{unsafe.Pointer(unsafe.SliceData(s)), uint32(min(len(s), 1<<32-1))}
}

// reserve makes it a new array of n zeroed elements.
func (a *array[T]) reserve(arena *offheap.Arena, n int) error {
	s, err := offheap.Make[T](arena, n)
	*a = arrayOf(s)
	return err
}

// at is element i.
func (a *array[T]) at(i uint32) *T {
	if invariants.Enabled && i >= a.n {
		panic(broken("index %d in an array of %d", i, a.n))
	}
	var t T
	return (*T)(unsafe.Add(a.first, uintptr(i)*unsafe.Sizeof(t)))
}

// slice is the n elements from the first on.
func (a *array[T]) slice(first, n uint32) []T {
	if invariants.Enabled && uint64(first)+uint64(n) > uint64(a.n) {
		panic(broken("%d elements from %d on in an array of %d", n, first, a.n))
	}
	var t T
	return unsafe.Slice((*T)(unsafe.Add(a.first, uintptr(first)*unsafe.Sizeof(t))), n)
}
