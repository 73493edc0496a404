//go:build !amd64 && !arm64

// Package prefetch asks the processor to load cache lines ahead of their use.
package prefetch

import "unsafe"

// Line has no effect on this processor.
func Line(unsafe.Pointer) {}

// Lines has no effect on this processor.
func Lines(unsafe.Pointer, uint64) {}
