package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"fabricast"
	"fabricast/internal/bench"
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
	f(&fabricast.InterruptedError{Err: context.Canceled}, 130)
	f(errors.Join(&bench.InterruptedError{Err: context.Canceled}, errors.New("1 of 2 cases failed")), 130)
}

func TestProgressWords(t *testing.T) {
	last := fabricast.Progress{Time: fabricast.Microsecond, Ranks: 8, Elapsed: 1e9}
	now := fabricast.Progress{Time: 4 * fabricast.Microsecond, Ranks: 8, Finished: 2, Elapsed: 3e9}
	const want = "4 us simulated, 1.500 us/s, 25 % of ranks done, about 9 s left"
	if got := describe(last, now); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
