package fabric

import (
	"unsafe"

	"fabricast/internal/invariants"
	"fabricast/internal/offheap"
)

// array is an array of T that the engine's inner loop indexes. It is stored as one pointer to its
// first element, so that the compiler keeps one value where a slice needs base and length. Indexes
// are checked only in builds that check invariants. The memory lies outside the Go heap, or is kept
// alive by the layout.
type array[T any] struct {
	first unsafe.Pointer
	n     uint32 // elements, for checking
}

func arrayOf[T any](s []T) array[T] {
	return array[T]{unsafe.Pointer(unsafe.SliceData(s)), uint32(min(len(s), 1<<32-1))}
}

// reserve allocates n zeroed elements in the arena and makes them the array's contents.
func (a *array[T]) reserve(arena *offheap.Arena, n int) error {
	s, err := offheap.Make[T](arena, n)
	*a = arrayOf(s)
	return err
}

// at returns a pointer to element i.
func (a *array[T]) at(i uint32) *T {
	if invariants.Enabled && i >= a.n {
		panic(broken("index %d in an array of %d", i, a.n))
	}
	var t T
	return (*T)(unsafe.Add(a.first, uintptr(i)*unsafe.Sizeof(t)))
}

// part is the tail of an array, from some element on. The offsets of its elements count from there.
type part[T any] struct{ first unsafe.Pointer }

// from returns the part of the array that begins with element i.
func (a *array[T]) from(i uint32) part[T] { return part[T]{unsafe.Pointer(a.at(i))} }

// partAt returns the part of an array that begins at a pointer.
func partAt[T any](first unsafe.Pointer) part[T] { return part[T]{first} }

// at returns a pointer to the element at offset i of the part.
func (p part[T]) at(i uint32) *T {
	var t T
	return (*T)(unsafe.Add(p.first, uintptr(i)*unsafe.Sizeof(t)))
}

// slice returns elements first to first+n-1 as a slice.
func (a *array[T]) slice(first, n uint32) []T {
	if invariants.Enabled && uint64(first)+uint64(n) > uint64(a.n) {
		panic(broken("%d elements from %d on in an array of %d", n, first, a.n))
	}
	var t T
	return unsafe.Slice((*T)(unsafe.Add(a.first, uintptr(first)*unsafe.Sizeof(t))), n)
}

func sizeOf[T any]() int64 {
	var t T
	return int64(unsafe.Sizeof(t))
}
