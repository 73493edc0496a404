//go:build unix

package ending

import (
	"os"
	"os/signal"
	"syscall"
)

// Warnings lists the signals by which batch systems announce the end of a job.
func Warnings() []os.Signal {
	return []os.Signal{syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGXCPU}
}

// FailOverLimit makes a write that exceeds the file size limit (ulimit -f) fail, like a write to a
// full disk, rather than kill the process.
func FailOverLimit() { signal.Ignore(syscall.SIGXFSZ) }
