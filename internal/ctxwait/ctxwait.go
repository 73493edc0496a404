// Package ctxwait waits for work that cannot be stopped, but only until a context ends.
package ctxwait

import (
	"context"
	"errors"
	"runtime/debug"

	"fabricast/internal/panics"
)

// name is the name of the package's goroutines in reports of panics.
const name = "task that may be abandoned"

// Do calls do, which may take seconds. If the context ends first, Do returns at once with abandoned
// set to true and the context's error, and calls drop with the value when do has returned.
func Do[T any](ctx context.Context, do func() (T, error), drop func(T)) (value T, abandoned bool, err error) {
	type outcome struct {
		value    T
		err      error
		panicked any
		stack    []byte
	}
	done := make(chan outcome, 1)
	go func() {
		o := outcome{err: errors.New("the goroutine of a task has been ended")}
		defer func() {
			if o.panicked = recover(); o.panicked != nil {
				o.stack = debug.Stack()
			}
			done <- o
		}()
		panics.Provoke(name)
		debug.SetPanicOnFault(true) // as panics.Guarded does
		o.value, o.err = do()
	}()
	select {
	case o := <-done:
		if o.panicked != nil {
			panics.Report(panics.Panic{Goroutine: name, Value: o.panicked, Stack: o.stack})
			panic(o.panicked) // in the caller's goroutine, which may recover
		}
		return o.value, false, o.err
	case <-ctx.Done():
	}
	panics.Go("end of an abandoned task", func() {
		if o := <-done; o.panicked == nil && o.err == nil {
			drop(o.value)
		}
	})
	return value, true, ctx.Err()
}
