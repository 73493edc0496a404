//go:build !unix

package machine

import "time"

// Usage is what this process has used; on this system it is not known.
type Usage struct {
	User, Sys time.Duration // CPU time
	PeakRSS   int64         // bytes of memory, the most at any time
}

// Used returns zeros.
func Used() Usage { return Usage{} }
