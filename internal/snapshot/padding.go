package snapshot

import (
	"reflect"
	"sync"
)

// hole is a range of padding bytes between the fields of a type.
type hole struct{ first, end uintptr }

// holes caches the padding of types. Its content in memory is undefined.
var holes sync.Map // reflect.Type to []hole

// holesOf returns the holes of a type.
func holesOf[T any]() []hole {
	t := reflect.TypeFor[T]()
	if found, ok := holes.Load(t); ok {
		return found.([]hole)
	}
	used := make([]bool, t.Size())
	markUsed(used, t)
	var list []hole
	for i := uintptr(0); i < t.Size(); i++ {
		begin := i
		for i < t.Size() && !used[i] {
			i++
		}
		if i > begin {
			list = append(list, hole{begin, i})
		}
	}
	holes.Store(t, list)
	return list
}

// markUsed marks the bytes of a type that hold a number.
func markUsed(used []bool, t reflect.Type) {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if f.Name != "_" {
				markUsed(used[f.Offset:], f.Type)
			}
		}
	case reflect.Array:
		for i := range t.Len() {
			markUsed(used[uintptr(i)*t.Elem().Size():], t.Elem())
		}
	default:
		for i := range t.Size() {
			used[i] = true
		}
	}
}

// clearHoles clears the padding in the n values of a type that were saved last.
func clearHoles[T any](v *Visitor, n int) {
	list := holesOf[T]()
	if len(list) == 0 || n == 0 {
		return
	}
	size := int(reflect.TypeFor[T]().Size())
	saved := v.bytes[len(v.bytes)-n*size:]
	for i := range n {
		for _, h := range list {
			clear(saved[i*size+int(h.first) : i*size+int(h.end)])
		}
	}
}
