package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"fabricast"
)

// Exit codes.
const (
	exitOK          = 0
	exitFailed      = 1   // the run failed
	exitUsage       = 2   // wrong arguments or configuration
	exitDeadlock    = 3   // the simulated program or network cannot go on
	exitInternal    = 4   // an invariant of the simulator is broken
	exitInterrupted = 130 // by a signal
)

// usageError is an error in the arguments of the command.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }

// tell prints an error for the user and returns the exit code it stands for.
func tell(log io.Writer, err error) int {
	if err == nil {
		return exitOK
	}
	prefix := "fabricast: "
	var config *fabricast.ConfigError
	if errors.As(err, &config) {
		prefix = "" // lines begin with the place, which editors understand
	}
	fmt.Fprintln(log, prefix+strings.TrimRight(err.Error(), "\n"))
	return exitCode(err)
}

func exitCode(err error) int {
	var (
		config    *fabricast.ConfigError
		arguments *usageError
		deadlock  *fabricast.DeadlockError
		internal  *fabricast.InternalError
	)
	var program interface{ ExitCode() int } // of a program in C
	switch {
	case errors.As(err, &program):
		return program.ExitCode()
	case errors.As(err, &config), errors.As(err, &arguments):
		return exitUsage
	case errors.As(err, &deadlock):
		return exitDeadlock
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &internal):
		return exitInternal
	case strings.HasPrefix(err.Error(), "unknown command"): // cobra has no type for it
		return exitUsage
	}
	return exitFailed
}
