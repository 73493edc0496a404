package replay

import (
	"cmp"
	"slices"

	"fabricast/mpi"
	"fabricast/node"
	"fabricast/trace"
)

// If operations must wait for their turn on the processor (see node.Processor), a rank submits all
// eligible tasks to the node, as in LogGOPSim. The node selects among these tasks and the received
// messages. Tasks that become eligible at the same event are submitted in the order sends,
// receives, computations. A computation is reported as complete when it starts, because the tasks
// that depend on it must wait for the processor anyway.

// startOf marks the words (see node.Ops.Watch) that report the start of a task. The other bits are
// the index of the task in crew.tasks.
const startOf = 1 << 29

// waitsForTurn reports whether tasks of kind k wait for their turn on the processor.
func waitsForTurn(k trace.TaskKind) bool {
	return k == trace.TaskCompute || k == trace.TaskSend || k == trace.TaskReceive
}

// goOnInTurns implements goOn if operations wait for their turn on the processor.
func (a *actor) goOnInTurns(ops *node.Ops) error {
	a.inTurns = true
	ops.Apart()
	a.answered(ops)
	for ops.Fits(mpi.Ready) && a.failure == nil {
		if err := a.fill(); err != nil {
			return err
		}
		switch {
		case a.current != 0:
			a.proceed(ops)
		case a.open > 0 && ops.Known():
			a.completed(ops, ops.Word())
		case a.waits > 0:
			a.submit(ops)
		case a.open > 0:
			if a.asked = whatNext; ops.WaitNext() {
				return nil
			}
			a.answered(ops)
		case !a.read:
			if err := a.readTask(); err != nil {
				return err
			}
		default:
			return a.finish(ops)
		}
	}
	return a.failure
}

// submit submits the first eligible task in the order of submission.
func (a *actor) submit(ops *node.Ops) {
	if a.turn == 0 {
		a.sortReady()
		a.turn = a.waits
	}
	a.startNext(ops)
}

// sortReady sorts the eligible tasks in the order of submission.
func (a *actor) sortReady() {
	a.order = a.order[:0]
	for id := a.ready.pop(a.taskLink); id != 0; id = a.ready.pop(a.taskLink) {
		a.order = append(a.order, id)
	}
	slices.SortStableFunc(a.order, func(x, y uint32) int {
		return cmp.Compare(rankOf(a.tasks.at(x).kind), rankOf(a.tasks.at(y).kind))
	})
	for _, id := range a.order {
		a.ready.push(id, a.taskLink)
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
