//go:build amd64 || arm64

// Package prefetch asks the processor to load a cache line ahead of its use.
package prefetch

import "unsafe"

// Line starts loading the cache line that holds p; p need not be a valid
// address. It has no effect but on speed.
//
//go:noescape
func Line(p unsafe.Pointer)

// Lines3 is Line for p's cache line and the two that follow.
//
//go:noescape
func Lines3(p unsafe.Pointer)
