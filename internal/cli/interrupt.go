package cli

import (
	"context"

	"fabricast"
	"fabricast/internal/abandon"
)

// untilInterrupted does what takes seconds for a large network and cannot be stopped. If the context ends
// meanwhile nobody waits for it: the process is about to end.
func untilInterrupted[T any](ctx context.Context, do func() (T, error)) (T, error) {
	value, abandoned, err := abandon.Do(ctx, do, func(T) {})
	if abandoned {
		err = &fabricast.InterruptedError{SettingUp: true, Err: err}
	}
	return value, err
}
