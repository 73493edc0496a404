//go:build !linux

package machine

// Memory is how many bytes of memory this machine can give to the process; 0
// means that it is not known.
func Memory() int64 { return 0 }
