package sharedlib

import (
	"errors"
	"unsafe"
)

// ErrBuild is the error of a build that cannot load libraries.
var ErrBuild = errors.New("libraries are loaded on Linux on amd64 or arm64 only, by a command that " +
	"was built with cgo (CGO_ENABLED=1)")

// Address returns the address of a value on the heap.
func Address[T any](value *T) uintptr { return uintptr(unsafe.Pointer(value)) }

// Start returns the address of a slice's first element; 0 for nil.
func Start[T any](s []T) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(s))) }
