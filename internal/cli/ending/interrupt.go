package ending

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"fabricast/internal/ctxwait"
	"fabricast/internal/leftover"
	"fabricast/internal/panics"
)

// signals returns the signals that interrupt a command. It excludes signals that were ignored when
// the process started, for example by nohup.
func signals() (list []os.Signal) {
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(s) {
			list = append(list, s)
		}
	}
	return list
}

// oneSignal is the time after the first signal during which further signals are ignored: programs
// such as timeout and mpirun signal both a process and its process group.
const oneSignal = 200 * time.Millisecond

// UntilSignal returns a context that ends at the first signal. A second signal removes unfinished
// files and ends the process. A third signal has its default effect.
func UntilSignal() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	received := make(chan os.Signal, 2)
	if list := signals(); len(list) > 0 {
		signal.Notify(received, list...)
	}
	panics.Go("signals", func() {
		<-received
		cancel()
		for first := time.Now(); time.Since(first) < oneSignal; {
			<-received
		}
		signal.Reset()
		leftover.End()
		os.Exit(Interrupted)
	})
	return ctx
}

// Orderly is the time that an interrupted command has to end. A point of a sweep has less time.
const Orderly = 10 * time.Second

// Recordings counts the runs that record partial results after an interruption, which may take
// longer than Orderly.
var Recordings atomic.Int32

// InOrder runs a command. If the command takes too long to end after an interruption, InOrder
// returns without waiting for it.
func InOrder(ctx context.Context, command func() error) error {
	waiting, give := context.WithCancel(context.Background())
	defer give()
	stop := context.AfterFunc(ctx, panics.Guarded("end of an interrupted command", func() {
		for begin := time.Now(); time.Since(begin) < Orderly || Recordings.Load() > 0; {
			time.Sleep(Orderly / 100)
		}
		give()
	}))
	defer stop()
	_, err := UntilInterrupted(waiting, func() (struct{}, error) { return struct{}{}, command() })
	return err
}

// InterruptedError reports that a command was interrupted before it had a result.
type InterruptedError struct{ Err error } // error of the context

func (*InterruptedError) Error() string   { return "interrupted" }
func (e *InterruptedError) Unwrap() error { return e.Err }

// UntilInterrupted calls do, which may take seconds and cannot be stopped. If ctx ends first,
// UntilInterrupted returns an *InterruptedError at once, because the process is about to end.
func UntilInterrupted[T any](ctx context.Context, do func() (T, error)) (T, error) {
	value, abandoned, err := ctxwait.Do(ctx, do, func(T) {})
	if abandoned {
		err = &InterruptedError{err}
	}
	return value, err
}
