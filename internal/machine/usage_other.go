//go:build !unix

package machine

import "time"

// Usage holds the resources that this process has used; they are unknown on this system.
type Usage struct {
	User, Sys time.Duration // CPU time
	PeakRSS   int64         // peak memory in bytes
}

// Used returns zeros.
func Used() Usage { return Usage{} }
