//go:build !unix

package ending

import "os"

// Warnings lists the signals by which batch systems announce the end of a job: none on this system.
func Warnings() []os.Signal { return nil }

// FailOverLimit does nothing: this system has no such limit.
func FailOverLimit() {}
