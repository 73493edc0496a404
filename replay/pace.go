package replay

import (
	"fabricast/mpi"
	"fabricast/node"
	"fabricast/trace"
)

// worker is a rank that executes tasks, whatever holds them. Tasks are identified by numbers from 1
// on that the worker chooses.
type worker interface {
	// fill reads tasks ahead.
	fill() error
	// readTask reads the next task, or finds the end of the trace.
	readTask() error
	// startNext starts the task that has been eligible longest.
	startNext(ops *node.Ops)
	// proceed executes the next part of the current task.
	proceed(ops *node.Ops)
	// completed handles the end of the operation that a task waited for, by its word.
	completed(ops *node.Ops, word uint32)
	// finish ends the rank once it has nothing left to do.
	finish(ops *node.Ops) error
	// kindOf returns the kind of a task.
	kindOf(id uint32) trace.TaskKind
	// link returns the link of an eligible task in the list of these.
	link(id uint32) *uint32
}

// pace decides what a rank does next: it executes tasks one at a time in the order in which they
// became eligible, and checks for completed operations before each of them.
type pace struct {
	unstarted int // number of tasks that have been read but not started
	open      int // number of tasks that have started but not ended
	ready     list
	waits     int    // number of eligible tasks
	turn      int    // number of eligible tasks that may start before the rank checks for completed operations
	looked    int64  // the rank's clock, in ps, at its last check that found no completed operation
	current   uint32 // the task being executed
	asked     question
	inTurns   bool // the rank's operations wait for their turn on the processor
	sets      bool // see Options.Sets
	read      bool // the trace has been read to its end, or to its damage
	failure   error
}

func newPace(j *Job) pace { return pace{looked: -1, sets: j.sets} }

// question is the operation whose result a rank waits for: WaitNext (whatNext) or TestNext
// (whatNow).
type question uint8

const (
	nothing question = iota
	whatNext
	whatNow
)

// goOn runs the rank until it has to wait.
func (p *pace) goOn(ops *node.Ops, w worker) error {
	if ops.Turns() {
		return p.goOnInTurns(ops, w)
	}
	p.answered(ops, w)
	for ops.Fits(mpi.Ready) && p.failure == nil {
		if err := w.fill(); err != nil {
			return err
		}
		switch {
		case p.current != 0:
			w.proceed(ops)
		case p.waits > 0 && p.mustLook(ops.Now()):
			if p.asked = whatNow; ops.TestNext() {
				return nil
			}
			p.answered(ops, w)
		case p.waits > 0:
			if p.turn == 0 { // the rank has already checked for completed operations at this time
				p.beginTurn()
			}
			w.startNext(ops)
		case p.open > 0:
			if p.asked = whatNext; ops.WaitNext() {
				return nil
			}
			p.answered(ops, w)
		case !p.read:
			if err := w.readTask(); err != nil {
				return err
			}
		default:
			return w.finish(ops)
		}
	}
	return p.failure
}

// mustLook reports whether the rank must check for completed operations before it starts another
// task.
func (p *pace) mustLook(now int64) bool { return p.turn == 0 && now != p.looked }

// answered handles the result of the rank's last WaitNext or TestNext.
func (p *pace) answered(ops *node.Ops, w worker) {
	asked := p.asked
	p.asked = nothing
	switch {
	case asked == nothing:
	case asked == whatNow && !ops.Flag():
		p.looked = ops.Now()
		p.beginTurn()
	default:
		w.completed(ops, ops.Word())
	}
}

// beginTurn permits one task, or all tasks that are eligible now (see Options.Sets), to start.
func (p *pace) beginTurn() {
	p.turn = 1
	if p.sets {
		p.turn = p.waits
	}
}

// push appends a task to the eligible tasks.
func (p *pace) push(id uint32, link func(id uint32) *uint32) {
	p.ready.push(id, link)
	p.waits++
}

// pop removes and returns the task that has been eligible longest.
func (p *pace) pop(link func(id uint32) *uint32) uint32 {
	p.waits--
	p.turn--
	return p.ready.pop(link)
}

// If operations must wait for their turn on the processor (see node.Processor), a rank submits all
// eligible tasks to the node, as in LogGOPSim. The node selects among these tasks and the received
// messages. Tasks that become eligible at the same event are submitted in the order sends,
// receives, computations. A computation is reported as complete when it starts, because the tasks
// that depend on it must wait for the processor anyway.

// startOf marks the words (see node.Ops.Watch) that report the start of a task. The other bits are
// the number by which the worker identifies the task.
const startOf = 1 << 29

// goOnInTurns implements goOn if operations wait for their turn on the processor.
func (p *pace) goOnInTurns(ops *node.Ops, w worker) error {
	p.inTurns = true
	ops.Apart()
	p.answered(ops, w)
	for ops.Fits(mpi.Ready) && p.failure == nil {
		if err := w.fill(); err != nil {
			return err
		}
		switch {
		case p.current != 0:
			w.proceed(ops)
		case p.open > 0 && ops.Known():
			w.completed(ops, ops.Word())
		case p.waits > 0:
			if p.turn == 0 {
				p.sortReady(w)
				p.turn = p.waits
			}
			w.startNext(ops)
		case p.open > 0:
			if p.asked = whatNext; ops.WaitNext() {
				return nil
			}
			p.answered(ops, w)
		case !p.read:
			if err := w.readTask(); err != nil {
				return err
			}
		default:
			return w.finish(ops)
		}
	}
	return p.failure
}

// sortReady sorts the eligible tasks in the order of submission.
func (p *pace) sortReady(w worker) {
	if p.ready.first == p.ready.last {
		return
	}
	var by [3]list // by rank of the kind, in the order of becoming eligible
	for id := p.ready.pop(w.link); id != 0; id = p.ready.pop(w.link) {
		by[rankOf(w.kindOf(id))].push(id, w.link)
	}
	for i := range by {
		for id := by[i].pop(w.link); id != 0; id = by[i].pop(w.link) {
			p.ready.push(id, w.link)
		}
	}
}

// rankOf returns the position of tasks of kind k in the order of submission.
func rankOf(k trace.TaskKind) int {
	switch k {
	case trace.TaskSend:
		return 0
	case trace.TaskReceive:
		return 1
	}
	return 2
}
