package cli

import (
	"context"

	"fabricast"
)

// untilInterrupted does what takes seconds for a large network and cannot be stopped. If the context ends
// meanwhile nobody waits for it: the process is about to end.
func untilInterrupted[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := do()
		done <- outcome{value, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, &fabricast.InterruptedError{SettingUp: true, Err: ctx.Err()}
	}
}
