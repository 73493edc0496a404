//go:build !linux

package offheap

import "unsafe"

// reserve allocates memory on the Go heap. It allocates words, which keep the array aligned.
func reserve(size uintptr, _ []extent) ([]byte, error) {
	words := make([]uint64, (size+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), size), nil
}

func release([]byte) {}

func adviseHuge(unsafe.Pointer, uintptr) {}

func discard(unsafe.Pointer, uintptr) {}
