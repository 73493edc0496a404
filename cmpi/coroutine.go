package cmpi

import (
	"errors"
	"iter"
	"runtime/debug"

	"fabricast/node"
)

// errStopped is the panic that unwinds a coroutine when the run has ended.
var errStopped = errors.New("fabricast: the run has ended")

// coroutine runs functions one after the other on a stack of its own, and records the requests it
// is waiting for.
type coroutine struct {
	waits    []node.Request // it may not continue before these are complete
	alone    bool           // nothing else of the rank is in progress, so it may wait in the node
	finished bool           // its latest function has returned
	next     func() (struct{}, bool)
	cancel   func()
	yield    func(struct{}) bool
}

// start creates the coroutine. It calls run each time it is to run a function.
func (r *coroutine) start(run func()) {
	r.next, r.cancel = iter.Pull(func(yield func(struct{}) bool) { r.loop(yield, run) })
}

func (r *coroutine) loop(yield func(struct{}) bool, run func()) {
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
		r.pause()
	}
}

// begin resets the coroutine before it runs the next function.
func (r *coroutine) begin() { r.finished, r.alone, r.waits = false, false, r.waits[:0] }

// resume continues the coroutine until it has to wait or its function has returned.
func (r *coroutine) resume() { r.next() }

// pause returns control to the rank until the rank calls resume.
func (r *coroutine) pause() {
	if !r.yield(struct{}{}) {
		panic(errStopped)
	}
}

// stop unwinds and ends the coroutine.
func (r *coroutine) stop() { r.cancel() }

// wait pauses until all requests are complete. It returns at once if there are none.
func (r *coroutine) wait(rs []node.Request) {
	r.waits = r.waits[:0]
	for _, q := range rs {
		if q.ID != 0 {
			r.waits = append(r.waits, q)
		}
	}
	if len(r.waits) > 0 {
		r.pause()
	}
}

// mayGo reports whether the coroutine has not finished and has no requests to wait for.
func (r *coroutine) mayGo() bool { return !r.finished && len(r.waits) == 0 }

// completed removes a completed request from those the coroutine waits for. It returns false if it
// was not among them.
func (r *coroutine) completed(id node.Request) bool {
	for i, w := range r.waits {
		if w == id {
			r.waits = append(r.waits[:i], r.waits[i+1:]...)
			return true
		}
	}
	return false
}
