//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"
)

// warnings lists the signals by which batch systems warn a job of its end.
func warnings() []os.Signal {
	return []os.Signal{syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGXCPU}
}

// failOverLimit makes a write beyond the limit of the size of files (ulimit -f) fail, as one to a full
// disk does, in place of ending the process.
func failOverLimit() { signal.Ignore(syscall.SIGXFSZ) }
