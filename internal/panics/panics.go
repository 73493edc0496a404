// Package panics collects the panics of all goroutines that the project starts, so that a command
// can end in an orderly way and explain what to do. By default, Go ends the process with a stack
// trace and exit code 2, and a panic can be recovered only in its own goroutine.
//
// Without a handler, as in programs that use Fabricast as a library, Go's default applies.
package panics

import (
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Panic is a panic that no other code has recovered.
type Panic struct {
	Goroutine string // purpose of the goroutine
	Value     any
	Stack     []byte // of the goroutine when it panicked
}

var (
	handler atomic.Pointer[func(Panic)]
	ending  sync.Mutex // held from the first panic to the end of the process
)

// Handle sets the handler of panics, which must end the process. It is called for the first panic
// only.
func Handle(end func(Panic)) { handler.Store(&end) }

// Go runs do on a new goroutine. It returns a channel that is closed when do has ended.
func Go(name string, do func()) <-chan struct{} {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		Guarded(name, do)()
	}()
	return ended
}

// Guarded wraps do for a goroutine that other code starts.
func Guarded(name string, do func()) func() {
	return func() {
		defer Catch(name)
		Provoke(name)
		debug.SetPanicOnFault(true) // catches access to released memory outside the Go heap
		do()
	}
}

// Catch passes a panic to the handler. It must be deferred directly.
func Catch(name string) {
	if handler.Load() == nil {
		return // do not recover: only then does Go's own trace show where it happened
	}
	if v := recover(); v != nil {
		Report(Panic{name, v, debug.Stack()})
	}
}

// Report passes a panic that has been recovered to the handler. It returns only if there is no
// handler.
func Report(p Panic) {
	end := handler.Load()
	if end == nil {
		return
	}
	ending.Lock()
	(*end)(p)
	panic("the handler of panics has returned")
}

// Settle keeps later panics from ending the process, which is about to end by itself. If there has
// been a panic, it waits for the end of the process.
func Settle() { ending.Lock() }
