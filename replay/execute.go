package replay

import (
	"fmt"

	"fabricast/mpi"
	"fabricast/node"
	"fabricast/trace"
)

// crew holds the state shared by the ranks of a partition block that execute tasks. Only one of
// them runs at a time.
type crew struct {
	job     *Job
	groups  *mpi.Groups
	flows   *mpi.Flows
	comm    mpi.Comm
	tasks   pool[task]
	rests   pool[rest]
	edges   pool[edge]
	leaving pool[leaving]
	blocks  pool[blockSize]
	lanes   pool[lane]
	latest  pool[latest]
	index   index
	scratch trace.Task // the task being read
	tables  tabulator
	sizes   []int64  // block sizes of the collective being executed
	ranks   int32    // number of ranks so far
	actors  []*actor // by slot, without the leading ones that have ended

	taskLink, edgeLink, leavingLink, blockLink func(i uint32) *uint32
}

// newCrew returns the crew of a block.
func newCrew(j *Job, groups *mpi.Groups, ranks int) *crew {
	c := &crew{job: j, groups: groups, flows: mpi.NewFlows(ranks)}
	c.index.tasks = &c.tasks
	c.taskLink = func(i uint32) *uint32 { return &c.tasks.at(i).next }
	c.edgeLink = func(i uint32) *uint32 { return &c.edges.at(i).next }
	c.leavingLink = func(i uint32) *uint32 { return &c.leaving.at(i).next }
	c.blockLink = func(i uint32) *uint32 { return &c.blocks.at(i).next }
	return c
}

// actor is a rank that executes tasks: a PE in the terms of TraceR. It has one clock, and runs
// tasks one after the other in the order in which they became eligible. While it computes it
// handles no messages. If the rank has lanes (processors), their computations run in parallel with
// one another and with the other tasks.
type actor struct {
	*crew
	pace
	stream trace.TaskStream // nil before the start
	rank   int
	slot   int32

	near       []near // direct-mapped table of tasks, indexed by the lowest bits of their numbers
	live       int    // number of tasks that have not ended, including those that are only named
	number     int64  // number of the next task to be read
	furthest   int64  // highest task number that a task has named
	named      int    // number of tasks that have been named but not read
	lanesUsed  uint32
	groupsSeen uint32
	several    bool // it has several lanes
	cut        bool // the trace has been read to its damage
	over       bool
	gone       bool           // it has ended
	last       trace.TaskKind // kind of the task that was read last
	factor     float64        // of computation

	skipped map[string]int64
}

// program returns the program of a rank.
func (c *crew) program(rank int) node.Program {
	if trace.Short(c.job.graph) {
		if t := c.tables.read(c.job, rank); t != nil {
			return &scheduled{crew: c, pace: newPace(c.job), rank: rank, tab: t}
		}
	}
	a := &actor{
		crew: c, pace: newPace(c.job), rank: rank, slot: c.ranks, factor: c.job.scale.compute(rank),
	}
	c.ranks++
	c.actors = append(c.actors, a)
	return a
}

// Resume implements node.Program.
func (a *actor) Resume(ops *node.Ops) {
	if err := a.goOn(ops); err != nil {
		a.end()
		ops.Fail(err)
	}
}

// Stop implements node.Stopper.
func (a *actor) Stop() { a.end() }

// goOn runs the rank until it has to wait.
func (a *actor) goOn(ops *node.Ops) error {
	if a.stream == nil && !a.read {
		stream, err := a.job.graph.OpenTasks(a.rank)
		if err == nil {
			a.stream = stream
		} else if err = a.broken(err); err != nil {
			return err
		}
	}
	return a.pace.goOn(ops, a)
}

// finish ends the rank once it has nothing left to do.
func (a *actor) finish(ops *node.Ops) error {
	if a.unstarted > 0 && !a.cut {
		return &dependencyError{
			a.rank,
			a.firstStuck(),
			fmt.Sprintf("and %d more wait for one another", a.unstarted-1),
		}
	}
	a.end()
	a.gone = true
	ops.Exit()
	return nil
}

// firstStuck returns the first task that waits for others.
func (a *actor) firstStuck() int64 {
	for n := int64(0); n < a.number; n++ {
		if a.find(n) != 0 {
			return n
		}
	}
	return a.number
}

// end adds to the job's report what has been omitted for the rank.
func (a *actor) end() {
	if a.stream != nil && !a.over {
		a.over = true
		a.job.ended(int(a.rank), a.stream.Faults(), a.skipped)
	}
}

// skip records that something is omitted.
func (a *actor) skip(what string) {
	if a.skipped == nil {
		a.skipped = map[string]int64{}
	}
	a.skipped[what]++
}

// makeReady appends a task to the eligible tasks.
func (a *actor) makeReady(id uint32, t *task) {
	t.stage = ready
	a.push(id, a.taskLink)
}

// kindOf and link implement worker.
func (a *actor) kindOf(id uint32) trace.TaskKind { return a.tasks.at(id).kind }
func (a *actor) link(id uint32) *uint32          { return &a.tasks.at(id).next }

// startNext starts the task that has been eligible longest.
func (a *actor) startNext(ops *node.Ops) {
	id := a.pop(a.taskLink)
	if t := a.tasks.at(id); t.kind == trace.TaskCompute && a.several && !a.occupy(id, t) {
		return
	}
	a.begin(id)
	a.proceed(ops)
}

// begin makes a task the current one.
func (a *actor) begin(id uint32) {
	t := a.tasks.at(id)
	a.unstarted--
	a.open++
	a.current = id
	if a.inTurns && waitsForTurn(t.kind) && !(t.kind == trace.TaskCompute && a.several) {
		t.stage = submitted
		return
	}
	t.stage = running
	a.fire(t, true)
}

// fire releases the tasks that wait for a task's start, or for its end.
func (a *actor) fire(t *task, start bool) {
	var rest list
	for id := t.edges.pop(a.edgeLink); id != 0; id = t.edges.pop(a.edgeLink) {
		e := a.edges.at(id)
		if start && !e.atStart {
			rest.push(id, a.edgeLink)
			continue
		}
		waiter := e.waits
		a.edges.release(id)
		w := a.tasks.at(waiter)
		if w.missing--; w.missing == 0 && w.stage == waiting {
			a.makeReady(waiter, w)
		}
	}
	t.edges = rest
}

// endTask ends a task.
func (a *actor) endTask(ops *node.Ops, id uint32) {
	t := a.tasks.at(id)
	a.open--
	if a.current == id {
		a.current = 0
	}
	a.fire(t, false)
	if t.rest != 0 && t.kind != trace.TaskSend {
		a.dropRest(t.rest)
	}
	computed, lane := t.kind == trace.TaskCompute && a.several, t.lane()
	a.forget(id, t.number)
	a.tasks.release(id)
	if computed {
		a.vacate(id, lane)
	}
}

// restOf returns the rest of a task.
func (a *actor) restOf(t *task) *rest {
	if t.rest == 0 {
		t.rest, _ = a.rests.alloc()
	}
	return a.rests.at(t.rest)
}

// dropRest frees the rest of a task.
func (a *actor) dropRest(id uint32) {
	r := a.rests.at(id)
	for b := r.blocks.pop(a.blockLink); b != 0; b = r.blocks.pop(a.blockLink) {
		a.blocks.release(b)
	}
	a.rests.release(id)
}

// proceed executes the next part of the current task.
func (a *actor) proceed(ops *node.Ops) {
	id := a.current
	switch t := a.tasks.at(id); t.kind {
	case trace.TaskCompute:
		switch {
		case t.stage != running:
			a.computeInTurn(ops, id, t)
		case a.several:
			a.computeBeside(ops, id, t)
		default:
			a.compute(ops, id, t)
		}
	case trace.TaskSend:
		q := a.send(ops, t.message, t.size, int32(t.rest))
		a.awaitEnd(ops, id, q, ops.Settle(q))
	case trace.TaskReceive:
		a.awaitEnd(ops, id, a.receive(ops, t.message), false)
	case trace.TaskCollective:
		a.collective(ops, id, t)
	case trace.TaskNothing:
		a.endTask(ops, id)
	}
}

// awaitEnd ends a message's task if its request is complete. Otherwise the task continues while the
// rank executes others.
func (a *actor) awaitEnd(ops *node.Ops, id uint32, q mpi.Request, complete bool) {
	if complete {
		a.endTask(ops, id)
		return
	}
	a.current = 0
	t := a.tasks.at(id)
	if t.stage == submitted {
		a.awaitTurn(ops, id, t, q)
		return
	}
	ops.Watch(q, numbered|uint32(t.number)&^numbered)
	if e := a.nearOf(t.number); e != nil && t.edges.first == 0 {
		e.task = plain
		a.tasks.release(id)
	}
}

// numbered marks the words of messages, which contain the lowest bits of their tasks' numbers.
// Other words are indexes of tasks.
const numbered = 1 << 31

// messageEnded handles the end of a message by its word.
func (a *actor) messageEnded(ops *node.Ops, word uint32) {
	number := a.number - (a.number-int64(word))&(numbered-1)
	e := a.nearOf(number)
	if e == nil || e.task != plain {
		a.endTask(ops, a.find(number))
		return
	}
	e.task = 0
	a.live--
	a.open--
}

// send starts a message.
func (c *crew) send(ops *node.Ops, to place, size int64, nic int32) mpi.Request {
	c.groups.SetPlain(&c.comm, c.flows.Rank(ops), c.job.communicator(to.group))
	buf := mpi.Size(int(size))
	if nic == 0 || int(nic) > ops.World().NICs() {
		return c.comm.Isend(buf, int(to.peer), int(to.tag))
	}
	return c.comm.IsendWith(buf, int(to.peer), int(to.tag), mpi.Options{NIC: int(nic)})
}

// receive posts a receive.
func (c *crew) receive(ops *node.Ops, from place) mpi.Request {
	c.groups.SetPlain(&c.comm, c.flows.Rank(ops), c.job.communicator(from.group))
	return c.comm.Irecv(anything, int(from.peer), int(from.tag))
}

// compute occupies the rank with a computation, as far as its operations fit into one Resume.
func (a *actor) compute(ops *node.Ops, id uint32, t *task) {
	r := a.flows.Rank(ops)
	if t.rest == 0 {
		r.Compute(mpi.Duration(t.size))
		a.endTask(ops, id)
		return
	}
	for x := a.restOf(t); ops.Fits(mpi.Ready); a.leave(ops, x) {
		if x.sends.first == 0 {
			r.Compute(mpi.Duration(t.size - x.worked))
			a.endTask(ops, id)
			return
		}
		until := max(x.worked, a.leaving.at(x.sends.first).offset)
		r.Compute(mpi.Duration(until - x.worked))
		x.worked = until
	}
}

// leave sends the next message of a computation. No task waits for the message.
func (a *actor) leave(ops *node.Ops, x *rest) {
	id := x.sends.pop(a.leavingLink)
	s := *a.leaving.at(id)
	a.leaving.release(id)
	if q := a.send(ops, s.message, s.size, 0); !ops.Settle(q) {
		ops.Watch(q, nobody)
	}
}

// nobody is the word for watched requests that no task waits for.
const nobody = 0

// collective does the next part of a collective.
func (a *actor) collective(ops *node.Ops, id uint32, t *task) {
	o := trace.Operation{
		Kind:   t.call,
		Group:  t.message.group,
		Root:   t.message.peer,
		Size:   t.size,
		Uneven: t.uneven,
	}
	x := a.restOf(t)
	if x.blocks.first != 0 {
		a.sizes = a.sizes[:0]
		for b := x.blocks.first; b != 0; b = a.blocks.at(b).next {
			a.sizes = append(a.sizes, a.blocks.at(b).size)
		}
		o.Blocks = a.sizes
	}
	if !a.groups.SetComm(&a.comm, a.flows.Rank(ops), int(o.Group)) {
		a.failure = &dependencyError{
			a.rank,
			t.number,
			fmt.Sprintf("is %s of a group that the rank is not in", o.Kind),
		}
		return
	}
	a.flows.Resume(ops, &x.flow, id, func(*mpi.Rank) { carryOut(&a.comm, &o) })
	switch {
	case x.flow.Ended():
		a.endTask(ops, id)
	case x.flow.Waits():
		a.current = 0
	default: // there is no capacity for all of its operations
		a.current = id
	}
}

// completed handles the end of the operation that a task waited for, by its word.
func (a *actor) completed(ops *node.Ops, id uint32) {
	if id == nobody {
		return
	}
	switch {
	case id&numbered != 0:
		a.messageEnded(ops, id)
	case id&mpi.OfFlow != 0:
		a.goOnWith(ops, id)
	case a.inTurns:
		a.hadTurn(ops, id)
	default: // a computation
		a.current = id
	}
}

// goOnWith continues a collective one of whose requests is complete, if it waited for that request.
func (a *actor) goOnWith(ops *node.Ops, word uint32) {
	id := a.flows.Owner(word)
	flow := &a.restOf(a.tasks.at(id)).flow
	a.flows.Completed(flow, word)
	switch {
	case flow.Ended():
		a.endTask(ops, id)
	case !flow.Waits():
		a.current = id
	}
}
