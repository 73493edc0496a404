//go:build unix

package ending

import (
	"os"
	"os/signal"
	"syscall"
)

// Warnings returns the signals by which batch systems announce the end of a job.
func Warnings() []os.Signal {
	return []os.Signal{syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGXCPU}
}

// FailOverLimit makes a write that exceeds the file size limit (ulimit -f) return an error instead
// of killing the process.
func FailOverLimit() { signal.Ignore(syscall.SIGXFSZ) }
