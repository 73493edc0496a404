// Package coroutine runs functions that pause until requests of their rank are complete.
package coroutine

import (
	"errors"
	"iter"
	"runtime/debug"

	"fabricast/node"
)

// errStopped is the panic that unwinds a coroutine when the run has ended.
var errStopped = errors.New("fabricast: the run has ended")

// Coroutine runs functions one after the other on a stack of its own, and records the requests it
// is waiting for.
type Coroutine struct {
	// Alone says that nothing else of the rank is in progress, so that it may wait in the node.
	Alone    bool
	waits    []node.Request // it may not continue before these are complete
	finished bool           // its latest function has returned
	next     func() (struct{}, bool)
	cancel   func()
	yield    func(struct{}) bool
}

// Start creates the coroutine. It calls run each time it is to run a function.
func (r *Coroutine) Start(run func()) {
	r.next, r.cancel = iter.Pull(func(yield func(struct{}) bool) { r.loop(yield, run) })
}

func (r *Coroutine) loop(yield func(struct{}) bool, run func()) {
	defer func() {
		if v := recover(); v != nil && v != errStopped {
			panic(v)
		}
	}()
	r.yield = yield
	debug.SetPanicOnFault(true) // as on the goroutine that resumes it
	for {
		run()
		r.finished = true
		r.Pause()
	}
}

// Begin resets the coroutine before it runs the next function.
func (r *Coroutine) Begin() { r.finished, r.Alone, r.waits = false, false, r.waits[:0] }

// Resume continues the coroutine until it has to wait or its function has returned.
func (r *Coroutine) Resume() { r.next() }

// Pause returns control to the rank until the rank calls Resume.
func (r *Coroutine) Pause() {
	if !r.yield(struct{}{}) {
		panic(errStopped)
	}
}

// Stop unwinds and ends the coroutine.
func (r *Coroutine) Stop() { r.cancel() }

// Wait pauses until all requests are complete. It returns at once if there are none.
func (r *Coroutine) Wait(rs []node.Request) {
	r.waits = r.waits[:0]
	for _, q := range rs {
		if q.ID != 0 {
			r.waits = append(r.waits, q)
		}
	}
	if len(r.waits) > 0 {
		r.Pause()
	}
}

// Waits returns the requests that the coroutine waits for.
func (r *Coroutine) Waits() []node.Request { return r.waits }

// Finished reports whether the latest function has returned.
func (r *Coroutine) Finished() bool { return r.finished }

// MayGo reports whether the coroutine has not finished and has no requests to wait for.
func (r *Coroutine) MayGo() bool { return !r.finished && len(r.waits) == 0 }

// Completed removes a completed request from those the coroutine waits for. It returns false if it
// was not among them.
func (r *Coroutine) Completed(id node.Request) bool {
	for i, w := range r.waits {
		if w == id {
			r.waits = append(r.waits[:i], r.waits[i+1:]...)
			return true
		}
	}
	return false
}
