//go:build !amd64 && !arm64

package prefetch

import "unsafe"

// Line has no effect on this processor.
func Line(unsafe.Pointer) {}

// Lines has no effect on this processor.
func Lines(unsafe.Pointer, uint64) {}

// Two has no effect on this processor.
func Two(a, b uintptr) {}

// All has no effect on this processor.
func All(*[Most]uintptr) {}
