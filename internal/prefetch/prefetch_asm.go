//go:build amd64 || arm64

// Package prefetch asks the processor to load cache lines ahead of their use.
package prefetch

import "unsafe"

// Line starts loading the cache line that holds p; p need not be a valid
// address. It has no effect but on speed.
//
//go:noescape
func Line(p unsafe.Pointer)

// Lines is Line for the addresses p+64*i of all bits i that are set.
//
//go:noescape
func Lines(p unsafe.Pointer, which uint64)
