//go:build amd64 || arm64

package prefetch

import "unsafe"

// Line starts loading the cache line that holds p; p need not be a valid
// address. It has no effect but on speed.
//
//go:noescape
func Line(p unsafe.Pointer)

// Lines is Line for n consecutive lines.
//
//go:noescape
func Lines(p unsafe.Pointer, n uint64)

// Two is Line for two addresses.
//
//go:noescape
func Two(a, b uintptr)

// All is Line for many addresses.
//
//go:noescape
func All(list *[Most]uintptr)
