package ending

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"fabricast"
	"fabricast/engine"
	"fabricast/internal/cli/console"
	"fabricast/internal/leftover"
	"fabricast/internal/panics"
	"fabricast/internal/printable"
	"fabricast/node"
)

// TraceVariable is the environment variable that adds the stack trace of the faulting goroutine to
// a fault report.
const TraceVariable = "FABRICAST_TRACE"

// ReportHead is the start of the instructions that follow the message of a fault of Fabricast.
const ReportHead = "This is a fault of Fabricast, not of what you gave it. Please report it to the " +
	"maintainers, with"

// Crash reports a panic that was not recovered, and ends the process.
func Crash(p panics.Panic) {
	found := &engine.Fault{Value: p.Value, Stack: p.Stack}
	code := Tell(
		printable.NewWriter(os.Stderr),
		&fabricast.InternalError{Err: fmt.Errorf("%w (in: %s)", found, p.Goroutine)},
	)
	leftover.End()
	os.Exit(code)
}

// isFault reports whether an error is a fault of Fabricast itself. That includes a Go runtime error
// in a rank, such as an index out of range, because the ranks that a command runs are Fabricast's
// own Go programs, or run C code.
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
	if os.Getenv(TraceVariable) != "" {
		fmt.Fprintf(log, "\n%s\n", stackOf(err))
	}
	words := make([]string, len(os.Args))
	for i, word := range os.Args {
		words[i] = console.Quoted(word)
	}
	attach := "the files that the command names"
	if os.Getenv(TraceVariable) == "" {
		attach += ", and what it prints with " + TraceVariable + "=1"
	}
	fmt.Fprintf(
		log, "%s\n  version  %s\n  command  %s\n  attach   %s\n", ReportHead, VersionLine(),
		bounded(strings.Join(words, " ")), attach,
	)
}

// stackOf returns the stack trace of the goroutine that found the fault, if it panicked.
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

func VersionLine() string {
	return fmt.Sprintf(
		"fabricast %s (%s, %s/%s)",
		fabricast.FullVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH,
	)
}
