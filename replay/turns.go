package replay

import (
	"cmp"
	"slices"

	"fabricast/mpi"
	"fabricast/node"
	"fabricast/trace"
)

// Where operations wait for their turn on the processor (node.Processor), a rank submits all
// eligible tasks, as LogGOPSim does, and the node selects among them and the received messages. Of
// tasks that become eligible by the same event, sends come first, then receives, then computations.
// A computation ends as it starts, because tasks that wait for it have to wait for the processor
// anyway.

// startOf marks the words by which the starts of tasks are reported; the rest is the task's place.
const startOf = 1 << 29

// waitsForTurn reports whether tasks of a kind are operations that wait for their turn.
func waitsForTurn(k trace.TaskKind) bool {
	return k == trace.TaskCompute || k == trace.TaskSend || k == trace.TaskReceive
}

// goOnInTurns does what goOn does.
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

// submit starts the first of the eligible tasks in the order of submission.
func (a *actor) submit(ops *node.Ops) {
	if a.turn == 0 {
		a.sortReady()
		a.turn = a.waits
	}
	a.startNext(ops)
}

// sortReady sorts the eligible tasks into the order of submission.
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

// rankOf returns the place of tasks of a kind among those that become ready at once.
func rankOf(k trace.TaskKind) int {
	switch k {
	case trace.TaskSend:
		return 0
	case trace.TaskReceive:
		return 1
	}
	return 2
}

// awaitTurn watches the request of a message that waits for its turn. It also watches the start of
// the message if that may precede its end and other tasks wait for it.
func (a *actor) awaitTurn(ops *node.Ops, id uint32, t *task, q mpi.Request) {
	if t.kind == trace.TaskReceive && !a.startAwaited(t) {
		t.stage = running
	} else {
		ops.Watch(ops.Starts(), startOf|id)
	}
	ops.Watch(q, id)
}

// startAwaited reports whether another task waits for the start of one.
func (a *actor) startAwaited(t *task) bool {
	for id := t.edges.first; id != 0; id = a.edges.at(id).next {
		if a.edges.at(id).atStart {
			return true
		}
	}
	return false
}

// hadTurn handles the report of a task's start, or of its end.
func (a *actor) hadTurn(ops *node.Ops, word uint32) {
	id := word &^ startOf
	t := a.tasks.at(id)
	switch {
	case t.kind == trace.TaskCompute && t.stage == running: // on a lane
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
		a.fire(t, true) // before those that wait for its end
		a.endTask(ops, id)
	}
}

// computeInTurn submits a computation, as far as its messages fit into one Resume.
func (a *actor) computeInTurn(ops *node.Ops, id uint32, t *task) {
	if t.rest == 0 {
		a.current = 0
		ops.Watch(ops.Work(t.size), id)
		return
	}
	x := a.restOf(t)
	first := x.worked == 0 // if no piece takes time, starts are reported more than once
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
