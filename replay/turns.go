package replay

import (
	"fabricast/mpi"
	"fabricast/node"
	"fabricast/trace"
)

// waitsForTurn reports whether tasks of kind k wait for their turn on the processor.
func waitsForTurn(k trace.TaskKind) bool {
	return k == trace.TaskCompute || k == trace.TaskSend || k == trace.TaskReceive
}

// awaitTurn watches q, the request of a message that waits for its turn. It also watches the start
// of the message, except for a receive whose start no other task waits for.
func (a *actor) awaitTurn(ops *node.Ops, id uint32, t *task, q mpi.Request) {
	if t.kind == trace.TaskReceive && !a.startAwaited(t) {
		t.stage = running
	} else {
		ops.Watch(ops.Starts(), startOf|id)
	}
	ops.Watch(q, id)
}

// startAwaited reports whether another task waits for the start of task t.
func (a *actor) startAwaited(t *task) bool {
	for id := t.edges.first; id != 0; id = a.edges.at(id).next {
		if a.edges.at(id).atStart {
			return true
		}
	}
	return false
}

// hadTurn handles the report of the start or end of a task, given by its word.
func (a *actor) hadTurn(ops *node.Ops, word uint32) {
	id := word &^ startOf
	t := a.tasks.at(id)
	switch {
	case t.kind == trace.TaskCompute && t.stage == running: // a computation on a lane
		a.current = id
	case word&startOf != 0 && t.kind == trace.TaskCompute:
		t.stage = submittedBegun
		a.fire(t, true)
	case word&startOf != 0:
		ended := t.stage == submittedEnded
		t.stage = running
		a.fire(t, true)
		if ended {
			a.endTask(ops, id)
		}
	case t.stage == submitted && t.kind != trace.TaskCompute:
		t.stage = submittedEnded
	default:
		a.fire(t, true) // tasks that wait for the start precede those that wait for the end
		a.endTask(ops, id)
	}
}

// computeInTurn submits a computation and its messages, until no more operations fit into this call
// of Resume.
func (a *actor) computeInTurn(ops *node.Ops, id uint32, t *task) {
	if t.rest == 0 {
		a.current = 0
		ops.Watch(ops.Work(t.size), id)
		return
	}
	x := a.restOf(t)
	first := x.worked == 0 // if pieces take no time, several are first, and the start is reported more than once
	for ops.Fits(mpi.Ready) {
		until, last := t.size, x.sends.first == 0
		if !last {
			until = max(x.worked, a.leaving.at(x.sends.first).offset)
		}
		q := ops.Work(until - x.worked)
		x.worked = until
		switch {
		case last:
			a.current = 0
			ops.Watch(q, id)
			return
		case first:
			ops.Watch(q, startOf|id)
		default:
			ops.Watch(q, nobody)
		}
		a.leave(ops, x)
		first = false
	}
}
