package node

import (
	"sync/atomic"

	"fabricast/internal/snapshot"
	"fabricast/node/internal/core"
	"fabricast/node/internal/model"
)

// Program is what one rank does, as a stream of operations.
//
// Resume emits the operations that follow and returns when it needs an outcome
// (after WaitAll, WaitAny, Test, Probe or Iprobe has answered that it must
// wait), when the program has ended (after Exit), or when Ops.Fits says so. It is called again
// when the outcome is known. Ops is valid only during the call.
//
// A Program may be a coroutine, whose stack keeps what it needs from one call to
// the next, or a record of a few words that tells where it stands.
//
// A Program that holds resources also implements [Stopper].
type Program interface {
	Resume(ops *Ops)
}

// Launcher is called once for each block with the number of ranks in the world. It returns a
// function that makes the program of a rank of that block when the rank starts. One goroutine at a
// time calls that function, so the programs of a block may share data without locks.
type Launcher func(ranks int) func(rank int) Program

// Stopper is a Program that needs a call when it will not be resumed again although it has not
// ended.
type Stopper interface {
	Stop()
}

// Preloader is a Program that can load into the cache what Resume will use. Preload must not change
// anything; it may be called at any time before the program ends.
type Preloader interface {
	Preload()
}

// Doer is a Program that can name what its rank is doing, such as the function it has called, for
// explanations of a deadlock.
type Doer interface {
	Doing() string
}

// Stateful is a Program whose state is a few numbers, so that it can be saved in the middle of a
// run and restored, also in a program made anew for the same rank.
type Stateful interface {
	Program
	// State goes over all that changes while the program runs.
	State(v *snapshot.Visitor)
}

// Finisher is a Program that leaves something behind for others when it ends. Finish is called, in
// place of all else, on a program made anew for a rank that had ended when a run goes on from a
// file.
type Finisher interface {
	Program
	Finish() error
}

// Placed is a Program that has to know its world before it goes on from a file.
type Placed interface {
	Program
	Restored(w *World)
}

// programs holds the programs of a block's ranks, from their start to their end or failure.
type programs struct {
	world    *core.Shared
	start    func(rank int) Program
	running  []Program    // by slot; nil before the start and after the end
	finished atomic.Int64 // how many have ended
}

// exit ends a rank whose program has ended.
func (p *programs) exit(r *core.Rank) {
	r.State = model.Exit
	p.running[p.world.Slot(r.ID)] = nil
	p.finished.Add(1)
}

// Drop implements runningPrograms.
func (p *programs) Drop(r *core.Rank) {
	slot := p.world.Slot(r.ID)
	if s, ok := p.running[slot].(Stopper); ok {
		s.Stop()
	}
	p.running[slot] = nil
}

// Doing implements runningPrograms.
func (p *programs) Doing(r *core.Rank) string {
	if d, ok := p.running[p.world.Slot(r.ID)].(Doer); ok {
		return d.Doing()
	}
	return ""
}
