package machine

import "golang.org/x/sys/unix"

// peakRSS is the most memory that this process has used. What getrusage tells
// may be that of the process which started this one, since it survives an exec.
func peakRSS(r *unix.Rusage) int64 {
	if n := procField("/proc/self/status", "VmHWM:"); n > 0 {
		return n
	}
	return int64(r.Maxrss) * 1024
}
