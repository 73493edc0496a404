//go:build !unix

package ending

import "os"

// Warnings lists the signals by which batch systems warn a job of its end: none on this system.
func Warnings() []os.Signal { return nil }

// FailOverLimit does nothing: there is no such limit on this system.
func FailOverLimit() {}
