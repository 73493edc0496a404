package replay

import "fabricast/node"

// This file simulates lanes: processors of a rank that compute in parallel with the rank itself. A
// computation on a lane is a timer (node.Ops.Timer).

// laneOf returns lane number of the rank, and creates it if necessary.
func (a *actor) laneOf(number int32) *lane {
	for i := a.lanesUsed; i != 0; i = a.lanes.at(i).next {
		if l := a.lanes.at(i); l.number == number {
			return l
		}
	}
	i, l := a.lanes.alloc()
	l.number, l.next = number, a.lanesUsed
	a.lanesUsed = i
	return l
}

// occupy assigns the lane of computation t to it. If the lane is busy, it queues the computation
// and returns false.
func (a *actor) occupy(id uint32, t *task) bool {
	l := a.laneOf(t.lane())
	if l.running != 0 {
		l.queue.push(id, a.taskLink)
		return false
	}
	l.running = id
	return true
}

// vacate frees lane number, on which computation id has ended. If computations wait for the lane,
// the next one becomes the current task.
func (a *actor) vacate(id uint32, number int32) {
	l := a.laneOf(number)
	if l.running != id {
		return
	}
	l.running = 0
	if next := l.queue.pop(a.taskLink); next != 0 {
		l.running = next
		a.begin(next)
	}
}

// computeBeside continues computation t on its lane: up to the next message, which it then sends,
// or to the end.
func (a *actor) computeBeside(ops *node.Ops, id uint32, t *task) {
	if l := a.laneOf(t.lane()); l.running == 0 { // the computation started when the rank had only one lane
		l.running = id
	}
	if !a.timed(ops, id, t) {
		return
	}
	x := a.restOf(t)
	if x.sends.first == 0 {
		a.endTask(ops, id)
		return
	}
	a.leave(ops, x)
}

// timed starts a timer for the part of a computation up to its next message or its end. It returns
// false if the part ends in the future.
func (a *actor) timed(ops *node.Ops, id uint32, t *task) bool {
	x, until := a.restOf(t), t.size
	if x.sends.first != 0 {
		until = max(x.worked, a.leaving.at(x.sends.first).offset)
	}
	if until == x.worked {
		return true
	}
	q := ops.Timer(until - x.worked)
	x.worked = until
	if ops.Settle(q) {
		return true
	}
	a.current = 0
	ops.Watch(q, id)
	return false
}
