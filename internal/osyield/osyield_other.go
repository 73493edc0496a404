//go:build !linux

// Package osyield gives the processor to another thread that wants it.
package osyield

import "runtime"

// Yield lets other goroutines run before it returns.
func Yield() { runtime.Gosched() }
