package replay

import (
	"fmt"

	"fabricast/mpi"
	"fabricast/node"
	"fabricast/trace"
)

// scheduled is a rank that executes the tasks of a table. It does what an actor does, in the same
// order, but needs no memory for a task beyond the table.
type scheduled struct {
	*crew
	pace
	rank   int
	number int // number of tasks that are taken into account; others have not been read, see window
	// tab is the rank's table. What is left of a task is the number of tasks that it waits for, the
	// next eligible task after it has become eligible, and begun with its progress from its start on.
	tab  *table
	over bool // the rank has ended
}

// begun is the bit of what is left of a task that has started. The rest is its progress.
const begun = 1 << 31

// Values of the progress of a task that has started.
const (
	inProgress   = begun | iota
	toStart      // submitted to the node, and its start will be reported
	toStartEnded // likewise; its end has been reported
	ended
)

// Resume implements node.Program.
func (x *scheduled) Resume(ops *node.Ops) {
	if err := x.goOn(ops, x); err != nil {
		x.end()
		ops.Fail(err)
	}
}

// Stop implements node.Stopper.
func (x *scheduled) Stop() { x.end() }

// end adds to the job's report what has been corrected for the rank.
func (x *scheduled) end() {
	if !x.over {
		x.over = true
		x.job.ended(x.rank, x.tab.faults, nil)
	}
}

// fill implements worker.
func (x *scheduled) fill() error {
	for !x.read && x.unstarted < window {
		_ = x.readTask()
	}
	return nil
}

// readTask implements worker.
func (x *scheduled) readTask() error {
	if x.number == len(x.tab.steps) {
		x.read = true
		return nil
	}
	x.number++
	x.unstarted++
	if x.tab.left[x.number-1] == 0 {
		x.push(uint32(x.number), x.link)
	}
	return nil
}

// kindOf and link implement worker.
func (x *scheduled) kindOf(id uint32) trace.TaskKind { return x.tab.steps[id-1].kind }
func (x *scheduled) link(id uint32) *uint32          { return &x.tab.left[id-1] }

// startNext implements worker.
func (x *scheduled) startNext(ops *node.Ops) {
	id := x.pop(x.link)
	x.unstarted--
	x.open++
	x.current = id
	if x.inTurns {
		x.submit(ops, id)
		return
	}
	x.tab.left[id-1] = inProgress
	x.release(x.tab.atStart(id))
	x.proceed(ops)
}

// release releases tasks from one of the dependencies that they wait for.
func (x *scheduled) release(waiting []uint32) {
	for _, id := range waiting {
		left := &x.tab.left[id-1]
		if *left--; *left == 0 && int(id) <= x.number {
			x.push(id, x.link)
		}
	}
}

// endTask ends a task.
func (x *scheduled) endTask(id uint32) {
	x.open--
	if x.current == id {
		x.current = 0
	}
	x.tab.left[id-1] = ended
	x.release(x.tab.atEnd(id))
}

// proceed implements worker.
func (x *scheduled) proceed(ops *node.Ops) {
	id := x.current
	s := &x.tab.steps[id-1]
	if s.kind == trace.TaskCompute {
		x.flows.Rank(ops).Compute(mpi.Duration(s.size))
		x.endTask(id)
		return
	}
	q := x.message(ops, s)
	if s.kind == trace.TaskSend && ops.Settle(q) {
		x.endTask(id)
		return
	}
	x.current = 0
	ops.Watch(q, id)
}

// message posts a send or a receive.
func (x *scheduled) message(ops *node.Ops, s *step) mpi.Request {
	if s.kind == trace.TaskSend {
		return x.send(ops, place{peer: s.peer, tag: s.tag}, s.size, int32(s.nic))
	}
	return x.receive(ops, place{peer: s.peer, tag: s.tag})
}

// submit gives the node a task that has to wait for its turn. Its start is only reported if a task
// waits for it.
func (x *scheduled) submit(ops *node.Ops, id uint32) {
	s, left := &x.tab.steps[id-1], &x.tab.left[id-1]
	*left, x.current = inProgress, 0
	if s.kind == trace.TaskCompute {
		ops.Watch(ops.Work(s.size), id)
		return
	}
	q := x.message(ops, s)
	if s.starts > 0 {
		*left = toStart
		ops.Watch(ops.Starts(), startOf|id)
	}
	ops.Watch(q, id)
}

// completed implements worker. The end of a task may be reported before its start.
func (x *scheduled) completed(_ *node.Ops, word uint32) {
	id := word &^ startOf
	left := &x.tab.left[id-1]
	switch {
	case word&startOf != 0:
		over := *left == toStartEnded
		*left = inProgress
		x.release(x.tab.atStart(id))
		if over {
			x.endTask(id)
		}
	case *left == toStart:
		*left = toStartEnded
	default:
		if x.inTurns && x.kindOf(id) == trace.TaskCompute { // it ends as it starts
			x.release(x.tab.atStart(id))
		}
		x.endTask(id)
	}
}

// finish implements worker.
func (x *scheduled) finish(ops *node.Ops) error {
	if x.unstarted > 0 {
		stuck := 0
		for x.tab.left[stuck]&begun != 0 {
			stuck++
		}
		return &dependencyError{
			x.rank, int64(stuck), fmt.Sprintf("and %d more wait for one another", x.unstarted-1),
		}
	}
	x.end()
	ops.Exit()
	return nil
}
