//go:build amd64 || arm64

package prefetch

import "unsafe"

// Line starts to load the cache line that contains p. p need not be a valid address. It only
// affects speed.
//
//go:noescape
func Line(p unsafe.Pointer)

// Lines is like Line for n consecutive lines.
//
//go:noescape
func Lines(p unsafe.Pointer, n uint64)

// Spans is like Line for the lines of two areas of memory, given their addresses and sizes in bytes, which are not 0.
// It may load the line behind each.
//
//go:noescape
func Spans(a, aBytes, b, bBytes uintptr)

// Two is like Line for two addresses.
//
//go:noescape
func Two(a, b uintptr)

// All is like Line for Most addresses.
//
//go:noescape
func All(list *[Most]uintptr)

// Seven is like Line for the first seven addresses of a list.
//
//go:noescape
func Seven(list *[Most]uintptr)
