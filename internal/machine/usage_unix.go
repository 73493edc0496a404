//go:build unix

package machine

import (
	"time"

	"golang.org/x/sys/unix"
)

// Usage is what this process has used.
type Usage struct {
	User, Sys time.Duration // CPU time
	PeakRSS   int64         // bytes of memory, the most at any time
}

// Used returns what this process has used since it began.
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
