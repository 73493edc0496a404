//go:build !unix

package ending

import "os"

// Warnings returns the signals by which batch systems announce the end of a job: none on this
// system.
func Warnings() []os.Signal { return nil }

// FailOverLimit does nothing, because this system has no file size limit.
func FailOverLimit() {}
