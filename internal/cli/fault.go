package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"fabricast"
	"fabricast/engine"
	"fabricast/internal/leftover"
	"fabricast/internal/panics"
	"fabricast/internal/printable"
	"fabricast/node"
)

// traceVariable is the environment variable that makes a fault report include the stack trace of
// the goroutine that found the fault.
const traceVariable = "FABRICAST_TRACE"

// reportHead begins the instructions that follow a fault of Fabricast in messages.
const reportHead = "This is a fault of Fabricast, not of what you gave it. Please report it to the " +
	"maintainers, with"

// crash reports a panic that no code has caught, and ends the process.
func crash(p panics.Panic) {
	found := &engine.Fault{Value: p.Value, Stack: p.Stack}
	code := tell(
		printable.NewWriter(os.Stderr),
		&fabricast.InternalError{Err: fmt.Errorf("%w (in: %s)", found, p.Goroutine)},
	)
	leftover.End()
	os.Exit(code)
}

// isFault reports whether an error is a fault of Fabricast itself. A runtime error of Go in a rank,
// such as an index out of range, also counts: the ranks that a command runs are Fabricast's own
// programs in Go, or run C code.
func isFault(err error) bool {
	var (
		internal *fabricast.InternalError
		rank     node.PanicError
		found    runtime.Error
		child    *childFault
	)
	return errors.As(err, &internal) || errors.As(err, &child) ||
		errors.As(err, &rank) && errors.As(rank.Unwrap(), &found)
}

// tellReport writes instructions for reporting a fault.
func tellReport(log io.Writer, err error) {
	if os.Getenv(traceVariable) != "" {
		fmt.Fprintf(log, "\n%s\n", stackOf(err))
	}
	words := make([]string, len(os.Args))
	for i, word := range os.Args {
		words[i] = quoted(word)
	}
	attach := "the files that the command names"
	if os.Getenv(traceVariable) == "" {
		attach += ", and what it prints with " + traceVariable + "=1"
	}
	fmt.Fprintf(
		log, "%s\n  version  %s\n  command  %s\n  attach   %s\n", reportHead, versionLine(),
		bounded(strings.Join(words, " ")), attach,
	)
}

// stackOf returns the stack trace of the goroutine that found a fault, if it panicked.
func stackOf(err error) []byte {
	var fault *engine.Fault
	var rank node.PanicError
	switch {
	case errors.As(err, &fault):
		return fault.Stack
	case errors.As(err, &rank):
		return rank.Stack
	}
	return []byte("no trace: the fault was found by a check")
}

// childFault is a fault of Fabricast in a child process. text is what that process reported.
type childFault struct{ text string }

func (e *childFault) Error() string { return e.text }

// newChildFault makes a childFault from a process's standard error, without its instructions for
// reporting, which name a command that the user does not know.
func newChildFault(log string) error {
	text, _, _ := strings.Cut(log, reportHead)
	return &childFault{strings.TrimPrefix(strings.TrimSpace(text), "fabricast: ")}
}
