//go:build !linux

package machine

// Memory returns 0: the memory available to the process is unknown on this system.
func Memory() int64 { return 0 }
