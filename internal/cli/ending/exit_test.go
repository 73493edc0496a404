package ending

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"fabricast"
	"fabricast/internal/bench"
	"fabricast/node"
)

func TestExitCodes(t *testing.T) {
	f := func(err error, want int) {
		t.Helper()
		if got := Tell(io.Discard, err); got != want {
			t.Errorf("%v: exit code %d, want %d", err, got, want)
		}
	}
	f(nil, 0)
	f(errors.New("no space left on device"), 1)
	f(&fabricast.RunError{Err: errors.New("truncated")}, 1)
	f(&fabricast.MemoryError{}, 1)
	f(&fabricast.ConfigError{}, 2)
	f(&UsageError{Err: errors.New("unknown flag")}, 2)
	f(fmt.Errorf("unknown command %q for %q", "fly", "fabricast"), 2)
	f(fmt.Errorf("while running: %w", &fabricast.DeadlockError{Err: errors.New("a cycle")}), 3)
	f(&fabricast.InternalError{Err: errors.New("a credit is negative")}, 4)
	f(&fabricast.InternalError{Err: &fabricast.ConfigError{}}, 4)
	f(fmt.Errorf("the first: %w", NewChildFault("fabricast: a credit is negative\n"+ReportHead)), 4)
	f(&fabricast.RunError{Err: node.PanicError{Value: &runtime.TypeAssertionError{}}}, 4)
	f(
		&fabricast.RunError{
			Err: node.PanicError{Value: errors.New("send to rank 9 of a communicator with ranks 0 to 7")},
		},
		1,
	)
	f(&fabricast.InterruptedError{Err: context.Canceled}, 130)
	f(errors.Join(&bench.InterruptedError{Err: context.Canceled}, errors.New("1 of 2 cases failed")), 130)
}

// TestOneTableOfExitCodes checks that the docs list exit codes in one table only, each code once.
func TestOneTableOfExitCodes(t *testing.T) {
	row := regexp.MustCompile(`(?m)^\| (\d+) \|[^|]*\|$`)
	var rows []string
	err := filepath.WalkDir("../../../docs", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".md" {
			return err
		}
		text, err := os.ReadFile(path)
		for section := range strings.SplitSeq(string(text), "\n#") {
			if title, _, _ := strings.Cut(section, "\n"); strings.Contains(strings.ToLower(title), "exit code") {
				for _, found := range row.FindAllStringSubmatch(section, -1) {
					rows = append(rows, filepath.Base(path)+" "+found[1])
				}
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, code := range []int{OK, Failed, Usage, Deadlock, Internal, Interrupted} {
		want = append(want, fmt.Sprintf("terminal.md %d", code))
	}
	if !slices.Equal(rows, want) {
		t.Errorf("the docs have rows for %q, want %q", rows, want)
	}
}

// TestBoundedMessages checks that a truncated message states the omitted amount.
func TestBoundedMessages(t *testing.T) {
	f := func(text string) {
		t.Helper()
		got := bounded(text)
		if text == got {
			return
		}
		if len(got) > mostBytes+100 || strings.Count(got, "\n") > mostLines ||
			!strings.HasSuffix(got, " more") {
			t.Errorf("%d bytes of %d", len(got), len(text))
		}
	}
	f("")
	f("short\n")
	f(strings.Repeat("line\n", 1000))
	f(strings.Repeat("x", 1<<20))
	f(strings.Repeat(strings.Repeat("x", 1000)+"\n", 1000))
	if bounded("a\nb") != "a\nb" ||
		bounded(strings.Repeat("x\n", mostLines)) == bounded(strings.Repeat("x\n", mostLines+1)) {
		t.Error("texts of the largest size are cut, or larger ones are not")
	}
}
