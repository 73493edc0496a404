package engine

import "fabricast/internal/snapshot"

// Part is a part of a model, as every driver sees it: it runs windows, and what it sends to other
// parts stays in its outbox until the driver brings it there. A driver asks for more by an interface
// of its own: Block for Run of this package, timewarp.Part for Time Warp.
//
// One worker at a time uses a part.
type Part interface {
	// Next returns the earliest window in which the part has something to do, by what it has
	// received; math.MaxInt64 if there is none.
	Next() int64
	// Run simulates a window. Rounds count the windows that a driver has had it run, from 1.
	Run(window int64, round uint64)
	// Sent returns the first window in which something has an effect that the last Run has sent to
	// another part, by its number, or to Anyone; math.MaxInt64 if nothing has. It is a later window
	// than that of Run.
	Sent(to int) (first int64)
	// Work returns a measure of the work done so far, in router activations.
	Work() uint64
}

// Anyone stands for all other parts together.
const Anyone = -1

// Stateful is a Part of which the state can be saved between two windows and restored later, as often
// as wanted.
type Stateful interface {
	Part
	// State goes over all that changes during a run. The same walk saves and restores. When it has
	// restored a state, the rounds that follow must be numbered like those that followed then, at
	// least modulo 2.
	State(v *snapshot.Visitor)
}

// Snapshot is a state saved in memory: it is saved by Save(part.State), and restored by
// Restore(part.State). The zero value is ready for use. Its memory is used again by the next save.
type Snapshot = snapshot.Snapshot
