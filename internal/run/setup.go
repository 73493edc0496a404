package run

import (
	"context"

	"fabricast/internal/ctxwait"
	"fabricast/internal/failure"
)

// setUp calls build, which may take seconds for a large experiment. If the context ends first,
// setUp returns an *failure.InterruptedError at once, and calls drop with the value when build is
// done.
func setUp[T any](ctx context.Context, ranks int, build func() (T, error), drop func(T)) (T, error) {
	value, abandoned, err := ctxwait.Do(ctx, build, drop)
	if abandoned {
		err = &failure.InterruptedError{Ranks: ranks, Err: err, SettingUp: true}
	}
	return value, err
}
