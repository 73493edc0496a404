package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"fabricast"
	"fabricast/cmpi"
	"fabricast/internal/humanize"
	"fabricast/record"
)

// Exit codes.
const (
	exitOK          = 0
	exitFailed      = 1   // the run failed
	exitUsage       = 2   // wrong arguments or configuration
	exitDeadlock    = 3   // the simulated program or network is deadlocked
	exitInternal    = 4   // an invariant of the simulator is broken
	exitInterrupted = 130 // by a signal
)

// usageError is an error in the command's arguments.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }

// tell writes an error for the user and returns its exit code.
func tell(log io.Writer, err error) int {
	if err == nil {
		return exitOK
	}
	prefix := "fabricast: "
	code := exitCode(err)
	var elsewhere *silentError
	if errors.As(err, &elsewhere) {
		return code
	}
	var config *fabricast.ConfigError
	if code != exitInternal && errors.As(err, &config) {
		prefix = "" // lines begin with the place, which editors understand
	}
	fmt.Fprintln(log, prefix+bounded(strings.TrimRight(err.Error(), "\n")))
	if code == exitInternal {
		tellReport(log, err)
	}
	return code
}

// Limits of a message, because an error may have a part for each of very many points or files.
const (
	mostLines = 400
	mostBytes = 64 << 10
)

// bounded returns the beginning of a text within mostLines and mostBytes, with a note of how much
// is left out.
func bounded(text string) string {
	lines, end := 0, 0
	for end < len(text) && lines < mostLines {
		next := strings.IndexByte(text[end:], '\n')
		if next < 0 {
			next = len(text) - end - 1
		}
		if end+next >= mostBytes {
			break
		}
		lines++
		end += next + 1
	}
	if end == len(text) {
		return text
	}
	if end == 0 {
		end = mostBytes
	}
	return fmt.Sprintf(
		"%s\n... and %s more",
		strings.TrimRight(text[:end], "\n"), humanize.Memory(int64(len(text)-end)),
	)
}

func exitCode(err error) int {
	var (
		config    *fabricast.ConfigError
		unfit     *cmpi.UnfitError
		arguments *usageError
		deadlock  *fabricast.DeadlockError
	)
	var program interface{ ExitCode() int } // of a program in C
	switch {
	case isFault(err): // whatever it comes with
		return exitInternal
	case errors.As(err, &program):
		return program.ExitCode()
	case errors.As(err, &config), errors.As(err, &arguments), errors.As(err, &unfit),
		errors.Is(err, record.ErrNoResult):
		return exitUsage
	case errors.As(err, &deadlock):
		return exitDeadlock
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case strings.HasPrefix(err.Error(), "unknown command"): // cobra has no type for it
		return exitUsage
	}
	return exitFailed
}
