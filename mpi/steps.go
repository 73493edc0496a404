package mpi

import (
	"fabricast/collective/tables"
	"fabricast/internal/snapshot"
	"fabricast/node"
)

// Steps is the program of one rank as a sequence of steps, such as the records of a trace. It needs
// no stack while the rank waits: to continue after a wait in the middle of a step, the step is run
// again, and operations that have been executed are skipped.
type Steps interface {
	// Next advances to the next step. It is called once for each step, and returns false after the
	// last one. It may call Rank.Fail.
	Next(r *Rank) (more bool)
	// Do executes the current step. It is called any number of times and must make the same calls
	// each time, independent of their results. Later steps may use the requests of its sends and
	// receives.
	Do(r *Rank)
}

// SavedSteps are Steps whose state can be saved between two calls, and restored in new Steps made
// for the same rank. After the restoration Do repeats the current step.
type SavedSteps interface {
	Steps
	// State saves or restores everything that changes during the execution of the steps.
	State(v *snapshot.Visitor)
	// Restored is called after the steps have been restored from a checkpoint, before they
	// continue.
	Restored(w *node.World)
	// Finish is called when a run is resumed from a checkpoint in which the rank had already ended.
	// It does what remains to be done for the rank.
	Finish() error
}

// StepsBy returns a launcher for programs that are Steps. It calls start for each partition block,
// and the function that start returns for each rank of the block. Only one rank of a block runs at
// a time. Collectives select their algorithms as in [ProgramsBy].
func StepsBy(start func() func(rank int) Steps, table *tables.Table) node.Launcher {
	return func(ranks int) func(rank int) node.Program {
		s := &stepper{start: start()}
		s.rank.Comm = Comm{
			rank:  &s.rank,
			group: &group{context: node.WorldContext, size: ranks, table: table},
		}
		s.rank.cursor = &s.cursor
		return s.program
	}
}

// stepper holds the state shared by the ranks of a partition block that run Steps.
type stepper struct {
	start  func(rank int) Steps
	rank   Rank // the rank that runs at present
	cursor cursor
}

// stepped is the program of a rank that runs Steps.
type stepped struct {
	*stepper
	steps  Steps
	done   int // number of operations of the current step that have been emitted
	within bool
	kept   []keptRequest
}

// keptRequest is a request that a step has started, with the index of its operation.
type keptRequest struct {
	at      int
	request Request
}

// mostKept is the maximum capacity of a rank's list of a step's requests that is kept for later
// steps.
const mostKept = 16

func (s *stepper) program(rank int) node.Program {
	steps := s.start(rank)
	if saved, ok := steps.(SavedSteps); ok {
		return &savedStepped{stepped{stepper: s, steps: steps}, saved}
	}
	return &stepped{stepper: s, steps: steps}
}

// savedStepped is the program of a rank that runs SavedSteps.
type savedStepped struct {
	stepped
	saved SavedSteps
}

// State implements node.Stateful.
func (p *savedStepped) State(v *snapshot.Visitor) {
	done := int64(p.done)
	snapshot.Value(v, &done)
	p.done, p.within = int(done), v.Flag(p.within)
	snapshot.List(v, &p.kept)
	p.saved.State(v)
}

// Restored implements node.Placed.
func (p *savedStepped) Restored(w *node.World) { p.saved.Restored(w) }

// Finish implements node.Finisher.
func (p *savedStepped) Finish() error { return p.saved.Finish() }

// Resume implements node.Program: it runs steps until the rank has to wait.
func (p *stepped) Resume(ops *node.Ops) {
	r := &p.rank
	r.ops, r.me = ops, int32(ops.Rank())
	for ops.Fits(Ready) && !ops.Behind() {
		p.cursor = cursor{done: p.done, kept: &p.kept}
		if !p.within && !p.steps.Next(r) {
			if !ops.Failed() {
				ops.Exit()
			}
			return
		}
		p.steps.Do(r)
		p.advance()
		if p.cursor.waits || ops.Failed() {
			return
		}
	}
}

// advance records the progress of the step, or that it is complete.
func (p *stepped) advance() {
	if p.cursor.at > p.cursor.done {
		p.done, p.within = p.cursor.done, true
		return
	}
	p.done, p.within, p.kept = 0, false, p.kept[:0]
	if cap(p.kept) > mostKept {
		p.kept = nil
	}
}

// Stop implements node.Stopper.
func (p *stepped) Stop() {
	if s, ok := p.steps.(node.Stopper); ok {
		s.Stop()
	}
}

// keep stores the request of an operation that has just been emitted, because the step may be run
// again. It returns the request.
func (r *Rank) keep(q Request) Request {
	if c := r.cursor; c != nil && c.kept != nil {
		*c.kept = append(*c.kept, keptRequest{c.at, q})
	}
	return q
}

// past returns the request that an operation skipped in a replay has started.
func (r *Rank) past() Request {
	c := r.cursor
	if c.flow != nil {
		return c.pastOfFlow()
	}
	if c.kept == nil {
		return Request{}
	}
	for list := *c.kept; c.known < len(list) && list[c.known].at <= c.at; {
		c.known++
		if k := list[c.known-1]; k.at == c.at {
			return k.request
		}
	}
	return Request{}
}
