package ending

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
	OK          = 0
	Failed      = 1   // the run failed
	Usage       = 2   // invalid arguments or configuration
	Deadlock    = 3   // the simulated program or network is deadlocked
	Internal    = 4   // an invariant of the simulator is broken
	Interrupted = 130 // interrupted by a signal
)

// UsageError is an error in the command's arguments.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }

// Tell writes an error message for the user and returns the exit code of the error.
func Tell(log io.Writer, err error) int {
	if err == nil {
		return OK
	}
	prefix := "fabricast: "
	code := Code(err)
	var elsewhere *silentError
	if errors.As(err, &elsewhere) {
		return code
	}
	var config *fabricast.ConfigError
	if code != Internal && errors.As(err, &config) {
		prefix = "" // lines start with the position in the file, which editors recognize
	}
	fmt.Fprintln(log, prefix+bounded(strings.TrimRight(err.Error(), "\n")))
	if code == Internal {
		tellReport(log, err)
	}
	return code
}

// Limits of a message. An error may combine errors of very many points or files.
const (
	mostLines = 400
	mostBytes = 64 << 10
)

// bounded returns the start of a text within mostLines and mostBytes, with a note of the omitted
// amount.
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

func Code(err error) int {
	var (
		config    *fabricast.ConfigError
		unfit     *cmpi.UnfitError
		arguments *UsageError
		deadlock  *fabricast.DeadlockError
	)
	var program interface{ ExitCode() int } // carries the exit code of a C program
	switch {
	case isFault(err): // even if it is joined with other errors
		return Internal
	case errors.As(err, &program):
		return program.ExitCode()
	case errors.As(err, &config), errors.As(err, &arguments), errors.As(err, &unfit),
		errors.Is(err, record.ErrNoResult):
		return Usage
	case errors.As(err, &deadlock):
		return Deadlock
	case errors.Is(err, context.Canceled):
		return Interrupted
	case strings.HasPrefix(err.Error(), "unknown command"): // cobra has no type for this error
		return Usage
	}
	return Failed
}
