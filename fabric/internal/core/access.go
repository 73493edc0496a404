package core

import (
	"unsafe"

	"fabricast/fabric/model"

	"fabricast/internal/invariants"
	"fabricast/internal/offheap"
)

// Array is an array of T that the engine's inner loop indexes. It is stored as a pointer to its
// first element, so that the compiler keeps a single value instead of the base and length of a
// slice. Indices are checked only in builds that check invariants. The memory is outside the Go
// heap or is kept alive by the layout.
type Array[T any] struct {
	First unsafe.Pointer
	N     uint32 // number of elements, for bounds checks
}

func ArrayOf[T any](s []T) Array[T] {
	return Array[T]{unsafe.Pointer(unsafe.SliceData(s)), uint32(min(len(s), 1<<32-1))}
}

// Reserve allocates n zeroed elements in the arena and makes them the array's contents.
func (a *Array[T]) Reserve(arena *offheap.Arena, n int) error {
	s, err := offheap.Make[T](arena, n)
	*a = ArrayOf(s)
	return err
}

// At returns a pointer to element i.
func (a *Array[T]) At(i uint32) *T {
	if invariants.Enabled && i >= a.N {
		panic(model.Breach("index %d in an array of %d", i, a.N))
	}
	var t T
	return (*T)(unsafe.Add(a.First, uintptr(i)*unsafe.Sizeof(t)))
}

// ArrayPart is the tail of an array, starting at some element. Offsets count from that element.
type ArrayPart[T any] struct{ first unsafe.Pointer }

// From returns the part of the array that starts at element i.
func (a *Array[T]) From(i uint32) ArrayPart[T] { return ArrayPart[T]{unsafe.Pointer(a.At(i))} }

// PartAt returns the part of an array that starts at a pointer.
func PartAt[T any](first unsafe.Pointer) ArrayPart[T] { return ArrayPart[T]{first} }

// At returns a pointer to the element at offset i of the part.
func (p ArrayPart[T]) At(i uint32) *T {
	var t T
	return (*T)(unsafe.Add(p.first, uintptr(i)*unsafe.Sizeof(t)))
}

// Slice returns elements first to first+n-1 as a slice.
func (a *Array[T]) Slice(first, n uint32) []T {
	if invariants.Enabled && uint64(first)+uint64(n) > uint64(a.N) {
		panic(model.Breach("%d elements from %d on in an array of %d", n, first, a.N))
	}
	var t T
	return unsafe.Slice((*T)(unsafe.Add(a.First, uintptr(first)*unsafe.Sizeof(t))), n)
}

func SizeOf[T any]() int64 {
	var t T
	return int64(unsafe.Sizeof(t))
}
