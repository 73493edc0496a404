// Package abandon waits for what cannot be stopped only until a context ends.
package abandon

import (
	"context"
	"errors"
)

// Do does what may take seconds. If the context ends meanwhile, nobody waits for it: abandoned is true, the error is
// the context's, and drop gets the value when it is there.
func Do[T any](ctx context.Context, do func() (T, error), drop func(T)) (value T, abandoned bool, err error) {
	type outcome struct {
		value    T
		err      error
		panicked any
	}
	done := make(chan outcome, 1)
	go func() {
		o := outcome{err: errors.New("the goroutine of a task has been ended")}
		defer func() {
			o.panicked = recover()
			done <- o
		}()
		o.value, o.err = do()
	}()
	select {
	case o := <-done:
		if o.panicked != nil {
			panic(o.panicked) // for the caller, who may know what to do
		}
		return o.value, false, o.err
	case <-ctx.Done():
	}
	go func() {
		if o := <-done; o.panicked == nil && o.err == nil {
			drop(o.value)
		}
	}()
	return value, true, ctx.Err()
}
