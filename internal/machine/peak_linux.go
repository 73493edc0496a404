package machine

import "golang.org/x/sys/unix"

// peakRSS returns the peak memory of this process in bytes. It prefers /proc, because the value of
// getrusage survives an exec and may be that of the process that started this one.
func peakRSS(r *unix.Rusage) int64 {
	if n := procField("/proc/self/status", "VmHWM:"); n > 0 {
		return n
	}
	return int64(r.Maxrss) * 1024
}
