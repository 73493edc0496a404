package mpi

import (
	"errors"

	"fabricast/node"
)

// Rank is one process of the program. It also serves as the handle of the world communicator, so
// rank.Send sends to a world rank.
type Rank struct {
	Comm
	ops    *node.Ops
	yield  func(struct{}) bool
	cursor *cursor // position in a replay; nil for a coroutine
}

// errReleased is the panic value that unwinds the coroutine of a rank that will not be resumed.
var errReleased = errors.New("fabricast: the run has ended")

// pause yields to the node until the rank can continue.
//
// Coroutine stacks start at 2 KiB, so pause and its callers in sends, receives and waits have small
// frames.
func (r *Rank) pause() {
	if r.cursor != nil {
		r.cursor.waits = true
		return
	}
	if !r.yield(struct{}{}) {
		panic(errReleased)
	}
}

// begin reports whether to emit the next operation now, and makes sure that there is capacity for
// it.
func (r *Rank) begin() bool {
	if r.cursor != nil {
		if !r.cursor.next() {
			return false
		}
		if !r.ops.Fits(1) {
			if r.cursor.flow == nil && r.cursor.kept == nil {
				panic(errCrowded)
			}
			r.cursor.pause()
			return false
		}
		return true
	}
	if !r.ops.Fits(1) || r.behind() {
		r.pause()
	}
	return true
}

// behind reports whether the rank has to pause before it continues, because its clock is not up to
// date.
func (r *Rank) behind() bool { return r.yield != nil && r.cursor == nil && r.ops.Behind() }

// blockingOps is the maximum number of operations that one blocking call emits: receive, send and
// wait.
const blockingOps = 3

// call is like begin for blocking calls, which count as one operation.
func (r *Rank) call() bool {
	if r.cursor != nil {
		return r.cursor.call(r.ops)
	}
	if !r.ops.Fits(blockingOps) || r.behind() {
		r.pause()
	}
	return true
}

// enter notifies the node that a collective starts, unless a replay is in the middle of it.
func (r *Rank) enter() {
	if c := r.cursor; c == nil || c.at == c.done && !c.waits {
		r.ops.Enter()
	}
}

// ask is like begin for operations whose result is visible to the program. It panics in a replay.
func (r *Rank) ask() {
	if r.cursor != nil {
		panic(errOutcome)
	}
	r.begin()
}

// Compute advances the rank's simulated time by d. It panics if d is negative.
func (r *Rank) Compute(d Duration) {
	if d < 0 {
		failCompute(d)
	}
	if r.begin() {
		r.ops.Compute(int64(d))
	}
}

// Now returns the simulated time since the start of the run, on the rank's clock.
func (r *Rank) Now() Duration {
	if r.behind() {
		r.pause()
	}
	return Duration(r.ops.Now())
}
