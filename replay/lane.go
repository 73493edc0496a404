package replay

import "fabricast/node"

// A lane is a processor of a rank that computes in parallel with the rank. A computation on it is a
// timer.

// laneOf returns the rank's lane with a number.
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

// occupy assigns its lane to a computation. It returns false if the lane is busy, in which case the
// computation has to wait.
func (a *actor) occupy(id uint32, t *task) bool {
	l := a.laneOf(t.lane())
	if l.running != 0 {
		l.queue.push(id, a.taskLink)
		return false
	}
	l.running = id
	return true
}

// vacate frees the lane of a computation that has ended. The next computation of the lane then
// starts before all other tasks.
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

// computeBeside continues a computation on its lane, up to the next message that it sends, or to
// its end.
func (a *actor) computeBeside(ops *node.Ops, id uint32, t *task) {
	if l := a.laneOf(t.lane()); l.running == 0 { // it started when the rank had only one lane
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

// timed starts a timer for a computation up to its next message, or its end. It returns false if
// that time is in the future.
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
