package node

import (
	"bytes"
	"fabricast/internal/snapshot"
	"slices"
	"unsafe"
)

// numbered is an element of a map.
type numbered[K comparable, V any] struct {
	Key   K
	Value V
}

// raw returns the bytes of a value without pointers.
func raw[T any](p *T) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(p)), unsafe.Sizeof(*p)) }

// stateOf goes over a map, by way of a list in an order that does not depend on how the map came
// about.
func stateOf[K comparable, V any](v *snapshot.Visitor, list *[]numbered[K, V], m map[K]V) {
	*list = (*list)[:0]
	if !v.Restores() {
		for key, value := range m {
			*list = append(*list, numbered[K, V]{key, value})
		}
		slices.SortFunc(
			*list, func(a, b numbered[K, V]) int { return bytes.Compare(raw(&a.Key), raw(&b.Key)) },
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
