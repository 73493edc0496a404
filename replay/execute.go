package replay

import (
	"fmt"

	"fabricast/mpi"
	"fabricast/node"
	"fabricast/trace"
)

// crew holds the state shared by the ranks of a partition block that execute tasks. Only one of
// these ranks runs at a time.
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
	tables  *tabulator
	sizes   []int64  // data block sizes of the collective being executed
	ranks   int32    // number of ranks so far
	actors  []*actor // ranks by slot, without the first ones that have ended

	taskLink, edgeLink, leavingLink, blockLink func(i uint32) *uint32
}

// newCrew returns the crew of a partition block. ranks is the number of ranks of the trace.
func newCrew(j *Job, groups *mpi.Groups, ranks int) *crew {
	c := &crew{job: j, groups: groups, flows: mpi.NewFlows(ranks), tables: &tabulator{open: trace.InTurn(j.graph)}}
	c.index.tasks = &c.tasks
	c.taskLink = func(i uint32) *uint32 { return &c.tasks.at(i).next }
	c.edgeLink = func(i uint32) *uint32 { return &c.edges.at(i).next }
	c.leavingLink = func(i uint32) *uint32 { return &c.leaving.at(i).next }
	c.blockLink = func(i uint32) *uint32 { return &c.blocks.at(i).next }
	return c
}

// actor is a rank that executes tasks (a PE in TraceR). It has one clock, and runs tasks one at a
// time in the order in which they became eligible. It handles no messages while it computes. If the
// rank has several lanes (processors), the computations on different lanes run in parallel, also
// with the other tasks.
type actor struct {
	*crew
	pace
	stream trace.TaskStream // nil before the start
	rank   int
	slot   int32

	near       []near // direct-mapped table of tasks, indexed by the lowest bits of their indices in the trace
	live       int    // number of tasks that have not ended, including named tasks
	number     int64  // index of the next task to read
	furthest   int64  // highest index of a named task
	named      int    // number of named tasks: those that a dependency refers to, but that have not been read
	from       int64  // the rank's clock, in ps, at its start
	lanesUsed  uint32
	groupsSeen uint32
	several    bool // the rank has several lanes
	cut        bool // the trace has been read to its damage
	over       bool
	gone       bool           // the rank has ended
	last       trace.TaskKind // kind of the last task read
	factor     float64        // factor of computation times

	skipped map[string]int64
}

// program returns the program of the given rank.
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

// goOn runs the rank until it must wait.
func (a *actor) goOn(ops *node.Ops) error {
	if a.stream == nil && !a.read {
		stream, err := a.job.graph.OpenTasks(a.rank)
		if err == nil {
			a.stream, a.from = stream, ops.Now()
		} else if err = a.broken(err); err != nil {
			return err
		}
	}
	return a.pace.goOn(ops, a)
}

// finish ends the rank when no task is left. If tasks are left that wait for each other in a cycle,
// it returns an error.
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

// firstStuck returns the index of the first task that still waits for other tasks.
func (a *actor) firstStuck() int64 {
	for n := int64(0); n < a.number; n++ {
		if a.find(n) != 0 {
			return n
		}
	}
	return a.number
}

// end adds the counts of omitted and corrected entries of the rank to the job's report.
func (a *actor) end() {
	if a.stream != nil && !a.over {
		a.over = true
		a.job.ended(int(a.rank), a.stream.Faults(), a.skipped)
	}
}

// skip counts an omitted task. what describes why it is omitted.
func (a *actor) skip(what string) {
	if a.skipped == nil {
		a.skipped = map[string]int64{}
	}
	a.skipped[what]++
}

// makeReady appends a task to the list of eligible tasks.
func (a *actor) makeReady(id uint32, t *task) {
	t.stage = ready
	a.push(id, a.taskLink)
}

// kindOf and link implement worker.
func (a *actor) kindOf(id uint32) trace.TaskKind { return a.tasks.at(id).kind }
func (a *actor) link(id uint32) *uint32          { return &a.tasks.at(id).next }

// startNext starts the task that has been eligible for the longest time.
func (a *actor) startNext(ops *node.Ops) {
	id := a.pop(a.taskLink)
	if t := a.tasks.at(id); t.kind == trace.TaskCompute && a.several && !a.occupy(id, t) {
		return
	}
	a.begin(id)
	a.proceed(ops)
}

// begin makes task id the current task.
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

// fire releases the tasks that wait for the start of task t or, if start is false, all tasks that
// wait for t.
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

// endTask ends the task id: it releases the tasks that wait for it, and frees its memory.
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

// restOf returns the rest of task t, and allocates it if necessary.
func (a *actor) restOf(t *task) *rest {
	if t.rest == 0 {
		t.rest, _ = a.rests.alloc()
	}
	return a.rests.at(t.rest)
}

// dropRest frees the rest with index id and the lists in it.
func (a *actor) dropRest(id uint32) {
	r := a.rests.at(id)
	for b := r.blocks.pop(a.blockLink); b != 0; b = r.blocks.pop(a.blockLink) {
		a.blocks.release(b)
	}
	a.rests.release(id)
}

// proceed executes the current task until it ends or must wait.
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
	case trace.TaskUntil:
		a.awaitTime(ops, id, t)
	}
}

// awaitTime ends a task once the time that it waits for has come.
func (a *actor) awaitTime(ops *node.Ops, id uint32, t *task) {
	if left := a.from + t.size - ops.Now(); left > 0 {
		if q := ops.Timer(left); !ops.Settle(q) {
			a.current = 0
			ops.Watch(q, id)
			return
		}
	}
	a.endTask(ops, id)
}

// awaitEnd ends the task of a message if its request q is complete. Otherwise the message remains
// in progress while the rank executes other tasks.
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

// numbered marks the words (see node.Ops.Watch) of messages. Such a word contains the lowest bits
// of the index of the task in the trace. Without the mark, a word is the index of the task in
// crew.tasks.
const numbered = 1 << 31

// messageEnded ends the task of a message, given by the word of the message.
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

// send starts a send. nic is 1 + the NIC to use; 0 means the default.
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

// compute executes a computation on the rank itself, and sends its messages, until no more
// operations fit into this call of Resume.
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

// leave sends the next message of a computation. No task waits for that message.
func (a *actor) leave(ops *node.Ops, x *rest) {
	id := x.sends.pop(a.leavingLink)
	s := *a.leaving.at(id)
	a.leaving.release(id)
	if q := a.send(ops, s.message, s.size, 0); !ops.Settle(q) {
		ops.Watch(q, nobody)
	}
}

// nobody is the word of watched requests that no task waits for.
const nobody = 0

// collective executes a collective until it ends or must wait.
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
	default: // not all of its operations fit into this call of Resume
		a.current = id
	}
}

// completed handles the completion of a watched request, given by its word.
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

// goOnWith handles the completion of a request of a collective, given by its word. If the
// collective no longer waits, it becomes the current task.
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
