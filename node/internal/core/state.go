package core

import (
	"bytes"
	"slices"
	"unsafe"

	"fabricast/internal/snapshot"
)

// Numbered is a key-value pair of a map.
type Numbered[K comparable, V any] struct {
	Key   K
	Value V
}

// raw returns the memory of a value, which must contain no pointers.
func raw[T any](p *T) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(p)), unsafe.Sizeof(*p)) }

// StateOf saves or restores a map by means of a list, whose order does not depend on the map's
// history.
func StateOf[K comparable, V any](v *snapshot.Visitor, list *[]Numbered[K, V], m map[K]V) {
	*list = (*list)[:0]
	if !v.Restores() {
		for key, value := range m {
			*list = append(*list, Numbered[K, V]{key, value})
		}
		slices.SortFunc(
			*list, func(a, b Numbered[K, V]) int { return bytes.Compare(raw(&a.Key), raw(&b.Key)) },
		)
	}
	snapshot.List(v, list)
	if v.Restores() {
		clear(m)
		for _, e := range *list {
			m[e.Key] = e.Value
		}
	}
}
