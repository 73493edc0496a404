package mpi

import (
	"errors"

	"fabricast/node"
)

// Rank is one process of the program. It is the world communicator too, so
// rank.Send sends to a rank of the world.
type Rank struct {
	Comm
	ops    *node.Ops
	yield  func(struct{}) bool
	cursor *cursor // in the place of a coroutine
}

// errReleased unwinds the coroutine of a rank that will not be resumed.
var errReleased = errors.New("fabricast: the run has ended")

// pause hands control to the node until it knows what the rank waits for.
//
// Coroutine stacks start at 2 KiB. This and everything above it on the way of
// sends, receives and waits keeps its frames small.
func (r *Rank) pause() {
	if r.cursor != nil {
		r.cursor.waits = true
		return
	}
	if !r.yield(struct{}{}) {
		panic(errReleased)
	}
}

// begin tells whether the next operation is to be emitted, and makes sure that it
// can be.
func (r *Rank) begin() bool {
	if r.cursor != nil {
		if !r.cursor.next() {
			return false
		}
		if !r.ops.Fits(1) {
			panic(errCrowded)
		}
		return true
	}
	if !r.ops.Fits(1) {
		r.pause()
	}
	return true
}

// most operations of a call that blocks: receive, send and wait.
const blockingOps = 3

// call is begin for calls that block, which count as one operation.
func (r *Rank) call() bool {
	if r.cursor != nil {
		return r.cursor.call(r.ops)
	}
	if !r.ops.Fits(blockingOps) {
		r.pause()
	}
	return true
}

// enter tells that a collective begins, of which a replay may have done a part.
func (r *Rank) enter() {
	if c := r.cursor; c == nil || c.at == c.done && !c.waits {
		r.ops.Enter()
	}
}

// ask is begin for operations whose outcome the program is told.
func (r *Rank) ask() {
	if r.cursor != nil {
		panic(errOutcome)
	}
	r.begin()
}

// Compute lets d of simulated time pass on the rank.
func (r *Rank) Compute(d Duration) {
	if d < 0 {
		failCompute(d)
	}
	if r.begin() {
		r.ops.Compute(int64(d))
	}
}

// Now is the simulated time since the start of the run, on the rank's clock.
func (r *Rank) Now() Duration { return Duration(r.ops.Now()) }
