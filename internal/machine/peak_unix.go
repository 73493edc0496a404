//go:build unix && !linux

package machine

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// peakRSS is the most memory that this process has used.
func peakRSS(r *unix.Rusage) int64 {
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(r.Maxrss)
	}
	return int64(r.Maxrss) * 1024
}
