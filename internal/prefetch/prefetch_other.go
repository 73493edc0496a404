//go:build !amd64 && !arm64

// Package prefetch asks the processor to load a cache line ahead of its use.
package prefetch

import "unsafe"

// Line has no effect on this processor.
func Line(unsafe.Pointer) {}

// Lines3 has no effect on this processor.
func Lines3(unsafe.Pointer) {}
