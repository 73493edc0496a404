package replay_test

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast"
	"fabricast/collective"
	"fabricast/experiment"
	"fabricast/internal/units"
	"fabricast/node"
	"fabricast/node/nodetest"
	"fabricast/replay"
	"fabricast/topology"
	"fabricast/trace"
)

// graph is a trace of tasks in memory.
type graph struct {
	groups [][]int32
	ranks  [][]trace.Task
	short  bool
}

func (g *graph) Short() bool { return g.short }

func (g *graph) Format() string    { return "memory" }
func (g *graph) Ranks() int        { return len(g.ranks) }
func (g *graph) Groups() [][]int32 { return g.groups }
func (g *graph) OpenTasks(rank int) (trace.TaskStream, error) {
	return &graphStream{tasks: g.ranks[rank]}, nil
}

type graphStream struct {
	tasks []trace.Task
	at    int
}

func (s *graphStream) Faults() trace.Faults { return trace.Faults{} }
func (s *graphStream) Events() int64        { return int64(s.at) }
func (s *graphStream) Recorded() int64      { return 0 }
func (s *graphStream) Next(t *trace.Task) error {
	if s.at == len(s.tasks) {
		return io.EOF
	}
	*t = s.tasks[s.at]
	s.at++
	return nil
}

// machine holds the parameters of the simulated machine: each message takes the latency, without
// contention, and the time in which a NIC reads its bytes.
type machine struct{ latency, read, overhead int64 }

// drawGraph draws random tasks that do not deadlock: in the order of drawing, a task depends only
// on earlier tasks, and each message is sent before it is received. Without collectives, the order
// of the tasks in the streams is random.
func drawGraph(t *rapid.T, collectives bool) *graph {
	g := &graph{
		groups: [][]int32{nil, {0}},
		ranks:  make([][]trace.Task, rapid.IntRange(1, 5).Draw(t, "ranks")),
		short:  rapid.Bool().Draw(t, "short"),
	}
	lanes := rapid.SampledFrom([]int32{1, 1, 2, 3}).Draw(t, "lanes")
	type message struct {
		trace.Message
		from int32
	}
	var sent []message
	rank := rapid.IntRange(0, len(g.ranks)-1)
	size, time := rapid.Int64Range(0, 2000), rapid.Int64Range(0, 3000)
	tag := int32(0)
	send := func(from int) trace.Message {
		m := trace.Message{Peer: int32(rank.Draw(t, "to")), Tag: tag, Size: size.Draw(t, "size")}
		tag++
		sent = append(sent, message{m, int32(from)})
		return m
	}
	for range rapid.IntRange(1, 60).Draw(t, "tasks") {
		r := rank.Draw(t, "rank")
		task := trace.Task{}
		if collectives && rapid.IntRange(0, 9).Draw(t, "collective") == 0 {
			g.call(t)
			continue
		}
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			task.Duration, task.Lane = time.Draw(t, "duration"), rapid.Int32Range(0, lanes-1).Draw(t, "lane")
			for at := int64(0); rapid.IntRange(0, 3).Draw(t, "leaves") == 0; {
				at = rapid.Int64Range(at, task.Duration).Draw(t, "offset")
				task.Sends = append(task.Sends, trace.OffsetSend{Offset: at, Message: send(r)})
			}
		case 1:
			task.Kind, task.Message = trace.TaskSend, send(r)
		case 4:
			task.Kind = trace.TaskNothing
		default:
			if len(sent) == 0 {
				continue
			}
			i := rapid.IntRange(0, len(sent)-1).Draw(t, "message")
			m := sent[i]
			sent = slices.Delete(sent, i, i+1)
			r = int(m.Peer)
			task.Kind = trace.TaskReceive
			task.Message = trace.Message{Receive: true, Peer: m.from, Tag: m.Tag, Size: m.Size}
		}
		n := int64(len(g.ranks[r]))
		for range min(n, int64(rapid.IntRange(0, 3).Draw(t, "dependencies"))) {
			d := rapid.Int64Range(0, n-1).Draw(t, "on")
			switch list := &task.After; rapid.IntRange(0, 3).Draw(t, "how") {
			case 0:
				*list = append(*list, d)
			case 1:
				task.Started = append(task.Started, d)
			case 2:
				g.ranks[r][d].Before = append(g.ranks[r][d].Before, n)
				task.Awaits++
			default:
				g.ranks[r][d].BeforeAt = append(g.ranks[r][d].BeforeAt, n)
				task.Awaits++
			}
		}
		g.ranks[r] = append(g.ranks[r], task)
	}
	for _, m := range sent {
		g.ranks[m.Peer] = append(
			g.ranks[m.Peer],
			trace.Task{
				Kind:    trace.TaskReceive,
				Message: trace.Message{Receive: true, Peer: m.from, Tag: m.Tag, Size: m.Size},
			},
		)
	}
	if !collectives && rapid.Bool().Draw(t, "shuffled") {
		for r := range g.ranks {
			g.ranks[r] = shuffled(t, g.ranks[r])
		}
	}
	return g
}

// call adds a collective of all ranks, or of the second half of the ranks. On each rank it depends
// on some earlier task.
func (g *graph) call(t *rapid.T) {
	o := trace.Operation{
		Kind:   rapid.SampledFrom(kinds).Draw(t, "collective"),
		Size:   rapid.Int64Range(0, 3000).Draw(t, "size"),
		Uneven: rapid.Bool().Draw(t, "uneven"),
	}
	if o.Kind == trace.Barrier || o.Kind == trace.Broadcast || o.Kind == trace.Allreduce {
		o.Uneven = false
	}
	first := 0
	if rapid.Bool().Draw(t, "half") {
		o.Group, first = 1, len(g.ranks)/2
		g.groups[1] = nil
		for r := first; r < len(g.ranks); r++ {
			g.groups[1] = append(g.groups[1], int32(r))
		}
	}
	for r := first; r < len(g.ranks); r++ {
		task := trace.Task{Kind: trace.TaskCollective, Call: o}
		if n := int64(len(g.ranks[r])); n > 0 {
			task.After = []int64{rapid.Int64Range(0, n-1).Draw(t, "after")}
		}
		g.ranks[r] = append(g.ranks[r], task)
	}
}

// shuffled returns the tasks of a rank in random order.
func shuffled(t *rapid.T, tasks []trace.Task) []trace.Task {
	order := make([]int64, len(tasks)) // by old index: new index
	for i := range order {
		order[i] = int64(i)
	}
	if len(order) > 1 {
		order = rapid.Permutation(order).Draw(t, "order")
	}
	list := make([]trace.Task, len(tasks))
	for i, task := range tasks {
		for _, numbers := range [][]int64{task.After, task.Started, task.Before, task.BeforeAt} {
			for k := range numbers {
				numbers[k] = order[numbers[k]]
			}
		}
		list[order[i]] = task
	}
	return list
}

// reference is a simple simulator of tasks. It has all tasks in memory, and always executes the
// earliest action next.
type reference struct {
	machine
	sets  bool
	ranks []*worker
	flown map[[3]int32]int64 // by sender, receiver and tag: arrival time of the message
	// tied means that two receives of a rank ended at the same time. The engine then handles them
	// in the order in which their messages arrived or, if the rank was busy, in which they were
	// posted. The reference does not simulate this order.
	tied bool
}

// worker is a rank of the reference.
type worker struct {
	tasks   []trace.Task
	clock   int64
	state   []int // by task: 0 waiting, 1 eligible, 2 running, 3 ended
	missing []int64
	waiters [][]waiter
	ready   []int
	known   []ending // future endings whose time is known
	posted  []ending // posted receives whose messages have not been sent
	orders  int
	turn    int
	looked  int64
	several bool
	lanes   map[int32]*queueOf
}

type waiter struct {
	task    int
	atStart bool
}

type queueOf struct {
	running int // -1: none
	queue   []int
}

// ending is the end of a task at a time. Task -1 is a message for which no task waits.
type ending struct {
	at, order int64
	receive   bool
	task      int
	part      int // of a computation on a lane: number of its messages already sent
}

func newReference(g *graph, m machine, sets bool) *reference {
	x := &reference{machine: m, sets: sets, flown: map[[3]int32]int64{}}
	for _, tasks := range g.ranks {
		w := &worker{
			tasks:   tasks,
			state:   make([]int, len(tasks)),
			missing: make([]int64, len(tasks)),
			waiters: make([][]waiter, len(tasks)),
			looked:  -1,
			lanes:   map[int32]*queueOf{},
		}
		for i, t := range tasks {
			w.several = w.several || t.Lane != 0
			w.missing[i] = t.Awaits + int64(len(t.After)+len(t.Started))
			for _, d := range t.After {
				w.waiters[d] = append(w.waiters[d], waiter{i, false})
			}
			for _, d := range t.Started {
				w.waiters[d] = append(w.waiters[d], waiter{i, true})
			}
			for _, s := range t.Before {
				w.waiters[i] = append(w.waiters[i], waiter{int(s), false})
			}
			for _, s := range t.BeforeAt {
				w.waiters[i] = append(w.waiters[i], waiter{int(s), true})
			}
		}
		for i := range tasks {
			if w.missing[i] == 0 {
				w.makeReady(i)
			}
		}
		x.ranks = append(x.ranks, w)
	}
	return x
}

func (w *worker) makeReady(i int) { w.state[i], w.ready = 1, append(w.ready, i) }

// fire releases the tasks that wait for the start or the end of task i.
func (w *worker) fire(i int, start bool) {
	for _, e := range w.waiters[i] {
		if e.atStart == start {
			if w.missing[e.task]--; w.missing[e.task] == 0 {
				w.makeReady(e.task)
			}
		}
	}
}

// run executes all tasks. It returns false if some cannot end.
func (x *reference) run() bool {
	for {
		first, at := -1, int64(0)
		for i, w := range x.ranks {
			if t, ok := w.next(); ok && (first < 0 || t < at) {
				first, at = i, t
			}
		}
		if first < 0 {
			break
		}
		x.step(first)
	}
	for _, w := range x.ranks {
		if slices.ContainsFunc(w.state, func(s int) bool { return s != 3 }) {
			return false
		}
	}
	return true
}

// next returns the time of the next action of the rank; false if there is none.
func (w *worker) next() (int64, bool) {
	if len(w.ready) > 0 {
		return w.clock, true
	}
	// no task waits for messages of computations
	if len(w.known) == 0 || !slices.ContainsFunc(w.state, func(s int) bool { return s != 3 }) {
		return 0, false
	}
	return max(w.clock, w.known[0].at), true
}

// step executes the next action of a rank.
func (x *reference) step(rank int) {
	w := x.ranks[rank]
	looks := w.turn == 0 && w.clock != w.looked
	switch {
	case len(w.known) > 0 && (len(w.ready) == 0 || looks && w.known[0].at < w.clock):
		e := w.known[0]
		w.known = w.known[1:]
		w.clock = max(w.clock, e.at)
		if e.receive {
			w.clock += x.overhead
		}
		x.ended(rank, e)
	case looks:
		w.looked = w.clock
		w.beginTurn(x.sets)
	default:
		if w.turn == 0 {
			w.beginTurn(x.sets)
		}
		i := w.ready[0]
		w.ready = w.ready[1:]
		w.turn--
		x.start(rank, i)
	}
}

// beginTurn permits one task, or (sets) all eligible tasks, to start.
func (w *worker) beginTurn(sets bool) {
	if w.turn = 1; sets {
		w.turn = len(w.ready)
	}
}

// received adds the ending of a receive.
func (x *reference) received(w *worker, e ending) {
	for _, other := range w.known {
		x.tied = x.tied || other.receive && other.at == e.at
	}
	w.add(e)
}

// add adds an ending.
func (w *worker) add(e ending) {
	w.known = append(w.known, e)
	slices.SortFunc(w.known, func(a, b ending) int {
		kind := func(e ending) int {
			if e.receive {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(kind(a), kind(b)), cmp.Compare(a.order, b.order))
	})
}

func (w *worker) order() int64 { w.orders++; return int64(w.orders) }

// start starts a task, unless its lane is busy.
func (x *reference) start(rank, i int) {
	w := x.ranks[rank]
	t := &w.tasks[i]
	if t.Kind == trace.TaskCompute && w.several {
		l := w.lanes[t.Lane]
		if l == nil {
			l = &queueOf{running: -1}
			w.lanes[t.Lane] = l
		}
		if l.running >= 0 {
			l.queue = append(l.queue, i)
			return
		}
		l.running = i
	}
	x.begin(rank, i)
}

func (x *reference) begin(rank, i int) {
	w := x.ranks[rank]
	w.state[i] = 2
	w.fire(i, true)
	switch t := &w.tasks[i]; t.Kind {
	case trace.TaskCompute:
		if w.several {
			x.work(rank, i, 0)
			return
		}
		at := int64(0)
		for _, s := range t.Sends {
			w.clock += s.Offset - at
			at = s.Offset
			x.send(rank, s.Message, -1)
		}
		w.clock += t.Duration - at
		x.end(rank, i)
	case trace.TaskSend:
		x.send(rank, t.Message, i)
	case trace.TaskReceive:
		e := ending{order: w.order(), receive: true, task: i}
		if at, sent := x.flown[[3]int32{t.Message.Peer, int32(rank), t.Message.Tag}]; sent {
			e.at = at
			x.received(w, e)
			return
		}
		w.posted = append(w.posted, e)
	default:
		x.end(rank, i)
	}
}

// work continues computation i on its lane. part is the number of its messages already sent.
func (x *reference) work(rank, i, part int) {
	w := x.ranks[rank]
	t := &w.tasks[i]
	for at := offset(t, part-1); ; part++ {
		until := offset(t, part)
		if until > at {
			w.add(ending{at: w.clock + until - at, order: w.order(), task: i, part: part + 1})
			return
		}
		if part == len(t.Sends) {
			x.end(rank, i)
			return
		}
		x.send(rank, t.Sends[part].Message, -1)
	}
}

// offset returns the offset of a message of a computation; after the last message, the duration.
func offset(t *trace.Task, part int) int64 {
	switch {
	case part < 0:
		return 0
	case part < len(t.Sends):
		return t.Sends[part].Offset
	}
	return t.Duration
}

// send sends a message. task is the task that waits for it, or -1.
func (x *reference) send(rank int, m trace.Message, task int) {
	w := x.ranks[rank]
	w.clock += x.overhead
	if int(m.Peer) == rank { // copied immediately, in zero time
		x.arrive(rank, m, w.clock)
		if task >= 0 {
			x.end(rank, task)
		}
		return
	}
	x.arrive(rank, m, w.clock+x.latency)
	w.add(ending{at: w.clock + m.Size*x.read, order: w.order(), task: task})
}

func (x *reference) arrive(rank int, m trace.Message, at int64) {
	key := [3]int32{int32(rank), m.Peer, m.Tag}
	x.flown[key] = at
	to := x.ranks[m.Peer]
	for k, e := range to.posted {
		if p := to.tasks[e.task].Message; p.Peer == int32(rank) && p.Tag == m.Tag {
			to.posted = slices.Delete(to.posted, k, k+1)
			e.at = at
			x.received(to, e)
			return
		}
	}
}

// ended handles an ending.
func (x *reference) ended(rank int, e ending) {
	w := x.ranks[rank]
	switch {
	case e.task < 0:
	case w.tasks[e.task].Kind != trace.TaskCompute:
		x.end(rank, e.task)
	case e.part > len(w.tasks[e.task].Sends):
		x.end(rank, e.task)
	default:
		x.send(rank, w.tasks[e.task].Sends[e.part-1].Message, -1)
		x.work(rank, e.task, e.part)
	}
}

func (x *reference) end(rank, i int) {
	w := x.ranks[rank]
	w.state[i] = 3
	w.fire(i, false)
	t := &w.tasks[i]
	if t.Kind != trace.TaskCompute || !w.several {
		return
	}
	l := w.lanes[t.Lane]
	l.running = -1
	if len(l.queue) > 0 {
		l.running = l.queue[0]
		l.queue = l.queue[1:]
		x.begin(rank, l.running)
	}
}

// execute runs the replay of g on a network without contention, and returns the world after the
// last event.
func execute(
	t interface{ Fatal(...any) },
	g trace.Graph,
	m machine,
	o replay.Options,
	network *nodetest.Network,
) *node.World {
	job, err := replay.New(g, o)
	if err != nil {
		t.Fatal(err)
	}
	spec := node.Spec{
		Hosts:       g.Ranks(),
		NICsPerHost: 1,
		Overhead:    units.Time(m.overhead),
		Memory:      1 << 62,
		HostOf:      make([]int32, g.Ranks()),
	}
	for i := range spec.HostOf {
		spec.HostOf[i] = int32(i)
	}
	w, err := node.NewWorld(spec, job.Launcher())
	if err != nil {
		t.Fatal(err)
	}
	network.Latency, network.ReadTime = m.latency, m.read
	network.Run(w, g.Ranks(), 1)
	return w
}

// TestTasks compares the end times of ranks with those of the reference, unless two receives of a
// rank end at the same time.
func TestTasks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, false)
		m := machine{
			latency: rapid.Int64Range(1, 4000).
				Draw(t, "latency"),
			read: rapid.Int64Range(0, 3).
				Draw(t, "read"),
			overhead: rapid.Int64Range(0, 500).Draw(t, "overhead"),
		}
		sets := rapid.Bool().Draw(t, "sets")
		want := newReference(g, m, sets)
		if !want.run() {
			t.Fatal("the reference has not carried out all tasks")
		}
		network := &nodetest.Network{Late: rapid.Bool().Draw(t, "late")}
		w := execute(t, g, m, replay.Options{Sets: sets}, network)
		defer w.Close()
		if err := w.Err(); err != nil || w.Finished() != g.Ranks() {
			t.Fatalf("%v; %d ranks have ended: %v", err, w.Finished(), w.Deadlock())
		}
		for rank := range g.Ranks() {
			if got := int64(w.Record(rank).End); got != want.ranks[rank].clock && !want.tied {
				t.Fatalf(
					"rank %d ends at %d, want %d: %+v %+v",
					rank, got, want.ranks[rank].clock, m, g.ranks,
				)
			}
		}
		if network.Live() != 0 {
			t.Fatalf("%d messages were not released", network.Live())
		}
	})
}

// TestWrongTasks checks the errors for tasks with invalid dependencies.
func TestWrongTasks(t *testing.T) {
	compute := trace.Task{Duration: 1}
	for want, tasks := range map[string][]trace.Task{
		"rank 0: task 7 is named by another one, but the trace has only 2 tasks of the rank": {compute, {After: []int64{7}}},
		"rank 0: task 1 depends on task 1":                                                   {compute, {Started: []int64{1}}},
		"rank 0: task 1 depends on task -2":                                                  {compute, {After: []int64{-2}}},
		"rank 0: task 1 and 1 more wait for one another":                                     {compute, {After: []int64{2}}, {After: []int64{1}}},
		"rank 0: task 0 and 0 more wait for one another":                                     {{Awaits: 1}, compute},
		"rank 0: task 1 precedes task 0, which does not await it":                            {{After: []int64{1}}, {Before: []int64{0, 0}}},
		"rank 0: task 1 awaits 1 others, but more than these have named it":                  {{Before: []int64{1, 1}}, {Awaits: 1}},
		"rank 0: task 0 is allreduce of a group that the rank is not in":                     {{Kind: trace.TaskCollective, Call: trace.Operation{Kind: trace.Allreduce, Group: 1}}},
	} {
		for _, short := range []bool{false, true} {
			g := &graph{groups: [][]int32{nil, {1}}, ranks: [][]trace.Task{tasks, nil}, short: short}
			w := execute(t, g, machine{latency: 1}, replay.Options{}, &nodetest.Network{})
			if err := w.Err(); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %s", err, want)
			}
			w.Close()
		}
	}
}

// TestTasksOnNetworks checks that the result does not depend on the number of workers, also if NICs
// handle the protocol, and if ranks share nodes and are interrupted by noise.
func TestTasksOnNetworks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, true)
		e := fabricast.Experiment{
			Network: experiment.Network{Topology: topologies().Draw(t, "network")},
			Ranks:   g.Ranks(),
		}
		if rapid.Bool().Draw(t, "shared") {
			e.Node.Ranks = 2
		}
		if rapid.Bool().Draw(t, "noise") {
			e.Noise.Every, e.Noise.Lose = 10_000, 2_000
		}
		if rapid.Bool().Draw(t, "rendezvous") {
			e.Node.Protocol = experiment.Protocol{Rendezvous: "write", Eager: 1000}
		}
		o := replay.Options{Sets: rapid.Bool().Draw(t, "sets")}
		want := outcome(t, replayed(t, e, g, o), 1)
		if got := outcome(t, replayed(t, e, g, o), rapid.IntRange(2, 3).Draw(t, "workers")); got != want {
			t.Fatalf("%s, with one worker %s", got, want)
		}
	})
}

// outcome returns the result hash of a run, or its deadlock. Random tasks can deadlock, because the
// end of a rendezvous send waits for the receive.
func outcome(t *rapid.T, e fabricast.Experiment, workers int) string {
	result, err := e.Run(t.Context(), fabricast.Workers(workers))
	var deadlock *fabricast.DeadlockError
	switch {
	case errors.As(err, &deadlock):
		return err.Error()
	case err != nil:
		t.Fatal(err)
	}
	return result.Hash
}

// TestChains replays programs as records, and as tasks that depend on the previous one. The
// messages must be equal.
func TestChains(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t)
		for i := range p.steps {
			// with records, a rank that waits for its send handles no messages; with tasks it does
			if p.steps[i].kind == 2 {
				p.steps[i].kind = 1
			}
		}
		e := fabricast.Experiment{
			Network: experiment.Network{Topology: topologies().Draw(t, "network")},
			Ranks:   p.ranks,
		}
		want := run(t, replayed(t, e, p.trace(), replay.Options{}), 1)
		o := replay.Options{Sets: rapid.Bool().Draw(t, "sets")}
		if got := run(t, replayed(t, e, chained(p.trace()), o), rapid.IntRange(1, 3).Draw(t, "workers")); got != want {
			t.Fatalf("hash %s, that of the records is %s", got, want)
		}
	})
}

// chained converts records to tasks.
func chained(m *memory) *graph {
	g := &graph{groups: m.groups, ranks: make([][]trace.Task, len(m.ranks))}
	for rank, records := range m.ranks {
		var after []int64 // the tasks that the next record waits for
		requests := map[uint64]int64{}
		add := func(t trace.Task) int64 {
			t.After = slices.Clone(after)
			g.ranks[rank] = append(g.ranks[rank], t)
			return int64(len(g.ranks[rank]) - 1)
		}
		message := func(m trace.Message) int64 {
			kind := trace.TaskSend
			if m.Receive {
				kind = trace.TaskReceive
			}
			return add(trace.Task{Kind: kind, Message: m})
		}
		for _, r := range records {
			switch r.Kind {
			case trace.Compute:
				after = []int64{add(trace.Task{Duration: r.Duration})}
			case trace.Send:
				after = append(after, message(r.Message))
			case trace.Exchange:
				after = []int64{message(r.Other), message(r.Message)}
			case trace.Start:
				requests[r.Message.Request] = message(r.Message)
			case trace.Wait:
				for _, id := range r.Requests {
					after = append(after, requests[id])
				}
			case trace.Collective:
				after = []int64{add(trace.Task{Kind: trace.TaskCollective, Call: r.Call})}
			}
		}
	}
	return g
}

// TestOverlap replays collectives whose algorithms wait for some messages while other messages are
// in flight. As a task, such a collective takes as long as otherwise, or slightly less, because a
// rank that executes tasks handles messages also while it waits for a send.
func TestOverlap(t *testing.T) {
	const ranks, size, less = 16, 256 << 10, 0.1
	for _, c := range []struct {
		kind      trace.CollectiveKind
		collects  collective.Kind
		algorithm collective.Algorithm
	}{
		{trace.Broadcast, collective.KindBroadcast, "chain/segment=8KiB/fanout=2"},
		{trace.Broadcast, collective.KindBroadcast, "pipeline/segment=8KiB"},
		{trace.Reduce, collective.KindReduce, "pipeline/segment=8KiB"},
		{trace.Alltoall, collective.KindAlltoall, "linear-sync/window=3"},
	} {
		o := trace.Operation{Kind: c.kind, Size: size}
		m := &memory{groups: [][]int32{nil}}
		for range ranks {
			m.ranks = append(m.ranks, []trace.Record{{Kind: trace.Collective, Call: o}})
		}
		var times []float64
		for _, source := range []trace.Trace{m, chained(m)} {
			e := replayed(t, fabricast.Experiment{
				Network: experiment.Network{Topology: topology.TorusSpec{Dims: []int{4, 4}}}, Ranks: ranks,
			}, source, replay.Options{Algorithms: map[collective.Kind]collective.Algorithm{c.collects: c.algorithm}})
			result, err := e.Run(t.Context())
			if err != nil {
				t.Fatalf("%s: %v", c.algorithm, err)
			}
			times = append(times, float64(result.SimulatedTime))
		}
		if ratio := times[1] / times[0]; ratio < 1-less || ratio > 1 {
			t.Errorf("%v %s: %.0f ps as a task, %.0f by itself (%.3f)", c.kind, c.algorithm, times[1], times[0], ratio)
		}
	}
}

// TestManyRequests replays collectives, as records and as tasks, in which a rank has more
// operations between two waits than it can emit in one call of Resume.
func TestManyRequests(t *testing.T) {
	const ranks, size = 1500, 8
	for _, kind := range []trace.CollectiveKind{trace.Gather, trace.Scatter} {
		m := &memory{groups: [][]int32{nil}, ranks: make([][]trace.Record, ranks)}
		for r := range ranks {
			m.ranks[r] = []trace.Record{
				{
					Kind: trace.Collective,
					Call: trace.Operation{Kind: kind, Root: 3, Size: size, Uneven: true},
				},
			}
		}
		hashes := map[string]bool{}
		for _, source := range []trace.Trace{m, chained(m)} {
			e := replayed(
				t,
				fabricast.Experiment{
					Network: experiment.Network{Topology: topology.TorusSpec{Dims: []int{50, 30}}},
					Ranks:   ranks,
				},
				source,
				replay.Options{},
			)
			result, err := e.Run(t.Context())
			if err != nil {
				t.Fatalf("%s: %v", kind, err)
			}
			if result.Messages != ranks-1 || result.PayloadBytes != (ranks-1)*size {
				t.Errorf("%s: %d messages of %d bytes", kind, result.Messages, result.PayloadBytes)
			}
			hashes[result.Hash] = true
		}
		if len(hashes) != 1 {
			t.Errorf("%s: other times as tasks than as records", kind)
		}
	}
}

// TestDeadlocksOfTasks checks the report of a deadlock of ranks that execute tasks.
func TestDeadlocksOfTasks(t *testing.T) {
	g := &graph{groups: [][]int32{nil}, ranks: [][]trace.Task{
		{receiveTask(1, 8), sendTask(1, 8, 0)},
		{receiveTask(0, 8), receiveTask(0, 9), sendTask(0, 8, 0)},
	}}
	w := execute(t, g, machine{latency: 1}, replay.Options{}, &nodetest.Network{})
	defer w.Close()
	err := w.Deadlock()
	if err == nil {
		t.Fatal("no deadlock")
	}
	for _, want := range []string{
		"rank 0 at 0 ps waits for a message from rank 1 with tag 0", "rank 1 at 0 ps waits for a message from rank 0 with tag 0, or any of 1 more requests", "rank 0 waits for rank 1, which waits for rank 0",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
