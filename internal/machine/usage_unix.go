//go:build unix

package machine

import (
	"time"

	"golang.org/x/sys/unix"
)

// Usage holds the resources that this process has used.
type Usage struct {
	User, Sys time.Duration // CPU time
	PeakRSS   int64         // peak memory in bytes
}

// Used returns what this process has used since it started.
func Used() Usage {
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &r); err != nil {
		return Usage{}
	}
	return Usage{
		User:    time.Duration(r.Utime.Nano()),
		Sys:     time.Duration(r.Stime.Nano()),
		PeakRSS: peakRSS(&r),
	}
}
