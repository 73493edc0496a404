//go:build !linux

// Package osyield yields the processor to other threads.
package osyield

import "runtime"

// Yield lets other goroutines run before it returns.
func Yield() { runtime.Gosched() }
