//go:build unix

package ending

import (
	"os"
	"os/signal"
	"syscall"
)

// Warnings lists the signals by which batch systems warn a job of its end.
func Warnings() []os.Signal {
	return []os.Signal{syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGXCPU}
}

// FailOverLimit makes a write beyond the limit of the size of files (ulimit -f) fail, as one to a full
// disk does, in place of ending the process.
func FailOverLimit() { signal.Ignore(syscall.SIGXFSZ) }
