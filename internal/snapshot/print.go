package snapshot

import (
	"fmt"
	"hash/fnv"
	"reflect"
	"sync"
)

// prints caches the fingerprints of types.
var prints sync.Map // reflect.Type to uint64

// printOf returns a fingerprint of the layout of a type in memory: the names, kinds and offsets of
// its fields. It panics for a type with pointers, which cannot be saved.
func printOf[T any]() uint64 {
	t := reflect.TypeFor[T]()
	if print, ok := prints.Load(t); ok {
		return print.(uint64)
	}
	h := fnv.New64a()
	describe(t, func(text string) { _, _ = h.Write([]byte(text)) })
	print := h.Sum64()
	prints.Store(t, print)
	return print
}

// describe writes a description of the layout of a type.
func describe(t reflect.Type, write func(string)) {
	switch t.Kind() {
	case reflect.Struct:
		write(fmt.Sprintf("struct %d{", t.Size()))
		for i := range t.NumField() {
			f := t.Field(i)
			write(fmt.Sprintf("%s@%d ", f.Name, f.Offset))
			describe(f.Type, write)
		}
		write("}")
	case reflect.Array:
		write(fmt.Sprintf("[%d]", t.Len()))
		describe(t.Elem(), write)
	default:
		if !plain(t.Kind()) {
			panic(fmt.Sprintf("snapshot: %s cannot be saved", t))
		}
		write(t.Kind().String() + ";")
	}
}

// plain reports whether a kind is numeric.
func plain(k reflect.Kind) bool {
	return k >= reflect.Bool && k <= reflect.Complex128 && k != reflect.Uintptr
}
