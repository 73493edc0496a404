//go:build !amd64 && !arm64

package prefetch

import "unsafe"

// Line has no effect on this processor.
func Line(unsafe.Pointer) {}

// Lines has no effect on this processor.
func Lines(unsafe.Pointer, uint64) {}

// Spans has no effect on this processor.
func Spans(a, aBytes, b, bBytes uintptr) {}

// Two has no effect on this processor.
func Two(a, b uintptr) {}

// All has no effect on this processor.
func All(*[Most]uintptr) {}

// Seven has no effect on this processor.
func Seven(*[Most]uintptr) {}
