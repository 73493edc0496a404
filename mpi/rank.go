package mpi

import (
	"errors"

	"fabricast/node"
)

// Rank is one process of the program. It is the world communicator too, so
// rank.Send sends to a rank of the world.
type Rank struct {
	Comm
	ops   *node.Ops
	yield func(struct{}) bool
}

// errReleased unwinds the coroutine of a rank that will not be resumed.
var errReleased = errors.New("fabricast: the run has ended")

// pause hands control to the node until it knows what the rank waits for.
//
// Coroutine stacks start at 2 KiB. This and everything above it on the way of
// sends, receives and waits keeps its frames small.
func (r *Rank) pause() {
	if !r.yield(struct{}{}) {
		panic(errReleased)
	}
}

// room makes sure that an operation can be emitted.
func (r *Rank) room() {
	if r.ops.Full() {
		r.pause()
	}
}

// Compute lets d of simulated time pass on the rank.
func (r *Rank) Compute(d Duration) {
	if d < 0 {
		failCompute(d)
	}
	r.room()
	r.ops.Compute(int64(d))
}

// Now is the simulated time since the start of the run, on the rank's clock.
func (r *Rank) Now() Duration { return Duration(r.ops.Now()) }
