package fabricast

import (
	"context"
	"errors"
)

// setUp makes what takes seconds for a large experiment. If the context ends meanwhile, nobody waits for it: it is
// dropped when it is there.
func setUp[T any](ctx context.Context, ranks int, build func() (T, error), drop func(T)) (T, error) {
	type outcome struct {
		value    T
		err      error
		panicked any
	}
	done := make(chan outcome, 1)
	go func() {
		o := outcome{err: errors.New("the program has ended the set-up's goroutine")}
		defer func() {
			o.panicked = recover()
			done <- o
		}()
		o.value, o.err = build()
	}()
	select {
	case o := <-done:
		if o.panicked != nil {
			panic(o.panicked) // for the caller, who may know what to do
		}
		return o.value, o.err
	case <-ctx.Done():
	}
	go func() {
		if o := <-done; o.panicked == nil && o.err == nil {
			drop(o.value)
		}
	}()
	var none T
	return none, &InterruptedError{Ranks: ranks, Err: ctx.Err(), SettingUp: true}
}
