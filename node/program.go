package node

import (
	"sync/atomic"

	"fabricast/internal/snapshot"
	"fabricast/node/internal/core"
	"fabricast/node/internal/model"
)

// Program is the program of one rank, as a stream of operations.
//
// Resume emits operations and returns when it needs a result (after WaitAll, WaitAny, Test, Probe
// or Iprobe has returned that it must wait), when the program has ended (after Exit), or when
// Ops.Fits returns false. It is called again when the result is known. Ops is valid only during the
// call.
//
// A Program may be a coroutine, whose stack holds its state from one call to the next, or a record
// of a few words that describes its state.
//
// A Program that holds resources also implements [Stopper].
type Program interface {
	Resume(ops *Ops)
}

// Launcher is called once for each block with the number of ranks in the world, and again if all
// programs of the block are undone. It returns a function that creates the program of a rank of that
// block when the rank starts, also again if that is undone. That function is called by one goroutine
// at a time, so the programs of a block may share data without locks.
type Launcher func(ranks int) func(rank int) Program

// Stopper is a Program that must be notified when it will not be resumed again although it has not
// ended.
type Stopper interface {
	Stop()
}

// Preloader is a Program that can prefetch the memory that Resume will use. Preload must not change
// anything; it may be called at any time before the program ends.
type Preloader interface {
	Preload()
}

// Doer is a Program that can name what its rank is doing, such as the function that it has called,
// for explanations of a deadlock.
type Doer interface {
	Doing() string
}

// Stateful is a Program whose state is a few numbers, so that it can be saved in the middle of a
// run and restored, also in a new program for the same rank.
type Stateful interface {
	Program
	// State saves or restores everything that changes while the program runs.
	State(v *snapshot.Visitor)
}

// Finisher is a Program that produces results for others when it ends. If a run is resumed from a
// checkpoint, Finish is called, instead of Resume, on a new program for each rank that had ended.
type Finisher interface {
	Program
	Finish() error
}

// Placed is a Program that has to know its world before it continues from a checkpoint.
type Placed interface {
	Program
	Restored(w *World)
}

// programs holds the programs of a block's ranks, from their start to their end or failure.
type programs struct {
	world    *core.Shared
	start    func(rank int) Program
	running  []Program    // by slot; nil before the start and after the end
	finished atomic.Int64 // number of programs that have ended
}

// exit handles the end of a rank's program.
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
