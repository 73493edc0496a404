//go:build unix && !linux

package machine

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// peakRSS returns the peak memory of this process in bytes.
func peakRSS(r *unix.Rusage) int64 {
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(r.Maxrss)
	}
	return int64(r.Maxrss) * 1024
}
