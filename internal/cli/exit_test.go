package cli

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
		if got := tell(io.Discard, err); got != want {
			t.Errorf("%v: exit code %d, want %d", err, got, want)
		}
	}
	f(nil, 0)
	f(errors.New("no space left on device"), 1)
	f(&fabricast.RunError{Err: errors.New("truncated")}, 1)
	f(&fabricast.MemoryError{}, 1)
	f(&fabricast.ConfigError{}, 2)
	f(&usageError{errors.New("unknown flag")}, 2)
	f(fmt.Errorf("unknown command %q for %q", "fly", "fabricast"), 2)
	f(fmt.Errorf("while running: %w", &fabricast.DeadlockError{Err: errors.New("a cycle")}), 3)
	f(&fabricast.InternalError{Err: errors.New("a credit is negative")}, 4)
	f(&fabricast.InternalError{Err: &fabricast.ConfigError{}}, 4)
	f(fmt.Errorf("the first: %w", newChildFault("fabricast: a credit is negative\n"+reportHead)), 4)
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

func TestProgressWords(t *testing.T) {
	last := fabricast.Progress{Time: fabricast.Microsecond, Ranks: 8, Elapsed: 1e9}
	now := fabricast.Progress{
		Time:     4 * fabricast.Microsecond,
		Ranks:    8,
		Finished: 2,
		Share:    0.25,
		Left:     9e9,
		Elapsed:  3e9,
	}
	const want = "4 us simulated, 1.500 us/s, 25 % done, about 9 s left"
	if got := describe(last, now); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestOneTableOfExitCodes: the docs list exit codes in one table, which has each code once.
func TestOneTableOfExitCodes(t *testing.T) {
	row := regexp.MustCompile(`(?m)^\| (\d+) \|[^|]*\|$`)
	var rows []string
	err := filepath.WalkDir("../../docs", func(path string, _ fs.DirEntry, err error) error {
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
	for _, code := range []int{exitOK, exitFailed, exitUsage, exitDeadlock, exitInternal, exitInterrupted} {
		want = append(want, fmt.Sprintf("terminal.md %d", code))
	}
	if !slices.Equal(rows, want) {
		t.Errorf("the docs have rows for %q, want %q", rows, want)
	}
}
