package core

import (
	"bytes"
	"slices"
	"unsafe"
)

// Numbered is a key-value pair of a map.
type Numbered[K comparable, V any] struct {
	Key   K
	Value V
}

// raw returns the memory of a value, which must contain no pointers.
func raw[T any](p *T) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(p)), unsafe.Sizeof(*p)) }

// SortNumbered sorts a list by its keys, so that a saved list does not depend on the history of the table it comes
// from.
func SortNumbered[K comparable, V any](list []Numbered[K, V]) {
	slices.SortFunc(
		list, func(a, b Numbered[K, V]) int { return bytes.Compare(raw(&a.Key), raw(&b.Key)) },
	)
}
