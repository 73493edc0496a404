//go:build unix

package cli

import (
	"os"
	"syscall"
)

// warnings lists the signals by which batch systems warn a job of its end.
func warnings() []os.Signal {
	return []os.Signal{syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGXCPU}
}
