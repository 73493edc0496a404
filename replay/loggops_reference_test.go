package replay_test

import (
	"cmp"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/units"
	"fabricast/replay"
	"fabricast/trace"
	"fabricast/trace/convert"
	"fabricast/trace/formats"
)

// logGOPS is a simple simulator of tasks with the rules of LogGOPSim, version 1. It shares no code
// with the tested simulator. A single list holds all tasks and messages that want a processor, on
// all hosts, ordered by time and then by the order in which they became eligible. A task or message
// whose processor or NIC is busy waits until both are free, and keeps its position in that order.
// Times are in ns.
type logGOPS struct {
	latency, overhead, gap, perByte, perByteCPU, eager int64

	tasks    [][]trace.Task
	missing  [][]int // by rank and task: number of tasks that it waits for
	wants    []want
	number   int
	busy     []int64 // by rank: time until which the processor is busy; sends and receives: the same for the NIC
	sends    []int64
	receives []int64
	posted   [][]want // by rank: receives without a message
	arrived  [][]want // and messages without a receive
}

// want is an eligible task, or a message in flight to the rank.
type want struct {
	at            int64
	number        int
	rank, task    int
	message       bool
	source, taskS int // of a message: rank and task of the send
}

func (s *logGOPS) bytes(size, each int64) int64 { return max(0, size-1) * each }

// run executes all tasks, and returns the time until which each processor was busy.
func (s *logGOPS) run() []int64 {
	n := len(s.tasks)
	s.busy, s.sends, s.receives = make([]int64, n), make([]int64, n), make([]int64, n)
	s.posted, s.arrived = make([][]want, n), make([][]want, n)
	for rank, tasks := range s.tasks {
		s.missing = append(s.missing, make([]int, len(tasks)))
		var free []int
		for i, task := range tasks {
			s.missing[rank][i] = len(task.After) + len(task.Started)
			if s.missing[rank][i] == 0 {
				free = append(free, i)
			}
		}
		s.ready(rank, free)
	}
	for len(s.wants) > 0 {
		first := 0
		for i := range s.wants {
			if cmp.Or(cmp.Compare(s.wants[i].at, s.wants[first].at), s.wants[i].number-s.wants[first].number) < 0 {
				first = i
			}
		}
		w := s.wants[first]
		s.wants = slices.Delete(s.wants, first, first+1)
		s.serve(w)
	}
	return s.busy
}

// ready adds tasks that have become eligible at the same event: sends, then receives, then
// computations.
func (s *logGOPS) ready(rank int, free []int) {
	place := func(i int) int {
		return slices.Index([]trace.TaskKind{trace.TaskSend, trace.TaskReceive, trace.TaskCompute}, s.tasks[rank][i].Kind)
	}
	slices.SortStableFunc(free, func(i, j int) int { return place(i) - place(j) })
	for _, i := range free {
		w := want{at: s.busy[rank], number: s.number, rank: rank, task: i}
		if s.tasks[rank][i].Kind == trace.TaskSend {
			w.at = max(w.at, s.sends[rank])
		}
		s.wants = append(s.wants, w)
		s.number++
	}
}

// happened returns the tasks that become eligible at the start or the end of a task.
func (s *logGOPS) happened(rank, task int, start bool) (free []int) {
	for i := range s.tasks[rank] {
		list := s.tasks[rank][i].After
		if start {
			list = s.tasks[rank][i].Started
		}
		for _, d := range list {
			if int(d) != task {
				continue
			}
			if s.missing[rank][i]--; s.missing[rank][i] == 0 {
				free = append(free, i)
			}
		}
	}
	return free
}

func (s *logGOPS) serve(w want) {
	task := &s.tasks[w.rank][w.task]
	again := func(at int64) {
		w.at = at
		s.wants = append(s.wants, w)
	}
	switch {
	case w.message:
		s.take(w, again)
		return
	case task.Kind == trace.TaskCompute:
		if s.busy[w.rank] > w.at {
			again(s.busy[w.rank])
			return
		}
		s.busy[w.rank] = w.at + task.Duration/1000
		free := s.happened(w.rank, w.task, true)
		s.ready(w.rank, append(free, s.happened(w.rank, w.task, false)...))
	case task.Kind == trace.TaskReceive:
		free := s.happened(w.rank, w.task, true)
		if i := slices.IndexFunc(s.arrived[w.rank], func(m want) bool { return s.fits(w, m) }); i >= 0 {
			m := s.arrived[w.rank][i]
			s.arrived[w.rank] = slices.Delete(s.arrived[w.rank], i, i+1)
			s.met(m, w.at, w, free)
			return
		}
		s.posted[w.rank] = append(s.posted[w.rank], w)
		s.ready(w.rank, free)
	default:
		if at := max(s.busy[w.rank], s.sends[w.rank]); at > w.at {
			again(at)
			return
		}
		size := task.Message.Size
		s.busy[w.rank] = w.at + s.overhead + s.bytes(size, s.perByteCPU)
		s.sends[w.rank] = w.at + s.gap + s.bytes(size, s.perByte)
		s.wants = append(s.wants, want{
			at: w.at + s.overhead + s.latency, number: s.number, rank: int(task.Message.Peer),
			message: true, source: w.rank, taskS: w.task,
		})
		s.number++
		free := s.happened(w.rank, w.task, true)
		if size <= s.eager {
			free = append(free, s.happened(w.rank, w.task, false)...)
		}
		s.ready(w.rank, free)
	}
}

// take delivers a message as soon as the processor and the NIC are free.
func (s *logGOPS) take(m want, again func(at int64)) {
	if at := max(s.busy[m.rank], s.receives[m.rank]); at > m.at {
		again(at)
		return
	}
	size := s.tasks[m.source][m.taskS].Message.Size
	s.busy[m.rank] = m.at + s.overhead + s.bytes(size, max(s.perByte, s.perByteCPU))
	s.receives[m.rank] = m.at + s.gap + s.bytes(size, s.perByte)
	i := slices.IndexFunc(s.posted[m.rank], func(w want) bool { return s.fits(w, m) })
	if i < 0 {
		s.arrived[m.rank] = append(s.arrived[m.rank], m)
		return
	}
	w := s.posted[m.rank][i]
	s.posted[m.rank] = slices.Delete(s.posted[m.rank], i, i+1)
	s.met(m, m.at, w, nil)
}

// met ends a receive, and the send of its message if it is not eager. The lower of the two ranks
// comes first.
func (s *logGOPS) met(m want, now int64, w want, free []int) {
	receiver := func() { s.ready(w.rank, append(free, s.happened(w.rank, w.task, false)...)) }
	if s.tasks[m.source][m.taskS].Message.Size <= s.eager {
		receiver()
		return
	}
	s.busy[m.source], s.sends[m.source] = max(s.busy[m.source], now), max(s.sends[m.source], now)
	sender := func() { s.ready(m.source, s.happened(m.source, m.taskS, false)) }
	if m.source < w.rank {
		sender()
		receiver()
	} else {
		receiver()
		sender()
	}
}

// fits reports whether message m matches receive w.
func (s *logGOPS) fits(w, m want) bool {
	r, send := &s.tasks[w.rank][w.task].Message, &s.tasks[m.source][m.taskS].Message
	return (r.Peer == trace.Any || int(r.Peer) == m.source) && (r.Tag == trace.Any || r.Tag == send.Tag)
}

// deadlocked reports whether tasks remain after run.
func (s *logGOPS) deadlocked() bool {
	for rank := range s.tasks {
		if len(s.posted[rank]) > 0 || slices.ContainsFunc(s.missing[rank], func(n int) bool { return n > 0 }) {
			return true
		}
	}
	return false
}

// drawSchedule draws messages and computations that depend on earlier tasks of their rank. They rarely
// deadlock: if two messages have the same source, destination and tag, a receive may match the other one.
func drawSchedule(t *rapid.T) *graph {
	g := &graph{
		groups: [][]int32{nil}, ranks: make([][]trace.Task, rapid.IntRange(2, 5).Draw(t, "ranks")),
		short: rapid.Bool().Draw(t, "short"),
	}
	rank := rapid.IntRange(0, len(g.ranks)-1)
	depend := rapid.Bool().Draw(t, "depend")
	add := func(r int, task trace.Task) {
		n := int64(len(g.ranks[r]))
		if n > 0 && depend {
			for range rapid.IntRange(0, 2).Draw(t, "dependencies") {
				d := rapid.Int64Range(0, n-1).Draw(t, "on")
				switch {
				case slices.Contains(task.After, d) || slices.Contains(task.Started, d):
				case rapid.Bool().Draw(t, "start"):
					task.Started = append(task.Started, d)
				default:
					task.After = append(task.After, d)
				}
			}
		}
		g.ranks[r] = append(g.ranks[r], task)
	}
	for range rapid.IntRange(1, 25).Draw(t, "tasks") {
		from, to := rank.Draw(t, "from"), rank.Draw(t, "to")
		if from == to {
			add(from, trace.Task{Duration: 1000 * rapid.SampledFrom([]int64{0, 1, 50, 1500, 7138}).Draw(t, "ns")})
			continue
		}
		m := trace.Message{Peer: int32(to), Size: rapid.SampledFrom([]int64{1, 8, 64, 1024}).Draw(t, "size")}
		m.Tag = int32(m.Size)
		add(from, trace.Task{Kind: trace.TaskSend, Message: m})
		m.Receive, m.Peer = true, int32(from)
		add(to, trace.Task{Kind: trace.TaskReceive, Message: m})
	}
	return g
}

// drawLogGOPS draws the parameters of both simulators.
func drawLogGOPS(t *rapid.T) (logGOPS, experiment.Network) {
	value := func(name string, of ...int64) int64 { return rapid.SampledFrom(of).Draw(t, name) }
	s := logGOPS{
		latency: value("L", 1, 1000, 2500), overhead: value("o", 0, 3, 500, 1500), gap: value("g", 0, 200, 1000),
		perByte: value("G", 0, 1, 6), perByteCPU: value("O", 0, 0, 1, 10), eager: value("S", 4, 100, 65535),
	}
	return s, s.network()
}

func (s *logGOPS) network() experiment.Network {
	ns := func(n int64) *fabricast.Time { t := fabricast.Time(n) * fabricast.Nanosecond; return &t }
	each := func(n int64) *fabricast.PerByte { p := units.PerByteOf(units.Time(n)*units.Nanosecond, 1); return &p }
	n := experiment.Network{Model: experiment.ModelLogGOPS}
	p := &n.Parameters
	p.L, p.Overhead, p.Gap = ns(s.latency), ns(s.overhead), ns(s.gap)
	p.GapPerByte, p.OverheadPerByte = each(s.perByte), each(s.perByteCPU)
	eager := fabricast.Bytes(s.eager)
	p.S = &eager
	return n
}

// TestTasksAsInLogGOPSim compares the replay of random schedules, directly and written as GOAL,
// with the simple simulator.
func TestTasksAsInLogGOPSim(t *testing.T) {
	path := filepath.Join(t.TempDir(), "schedule.goal")
	rapid.Check(t, func(t *rapid.T) {
		g := drawSchedule(t)
		s, network := drawLogGOPS(t)
		s.tasks = g.ranks
		want := slices.Max(s.run())
		e := fabricast.Experiment{Network: network, Ranks: len(g.ranks)}
		e = replayed(t, e, g, replay.Options{})
		got, err := e.Run(t.Context())
		var deadlock *fabricast.DeadlockError
		if errors.As(err, &deadlock) != s.deadlocked() || err != nil && deadlock == nil {
			t.Fatalf("%v, want a deadlock: %v", err, s.deadlocked())
		}
		if err != nil {
			return
		}
		if got.SimulatedTime != fabricast.Time(want)*fabricast.Nanosecond {
			t.Fatalf("%v, want %d ns", got.SimulatedTime, want)
		}
		if _, err := convert.Write(path, g, convert.Part{}); err != nil {
			t.Fatal(err)
		}
		if _, err := formats.Open(path, trace.Options{}); err != nil {
			t.Fatal(err)
		}
	})
}

// TestLowerRankContinuesFirst compares with LogGOPSim (version 1, commit 76451de, -L 1 -o 0 -g 200 -G 0 -O 10
// -S 4) where a rendezvous ends at ranks 1 and 2 at one instant, and both then send to rank 0.
func TestLowerRankContinuesFirst(t *testing.T) {
	g := &graph{groups: [][]int32{nil}, ranks: [][]trace.Task{
		{{}, receiveTask(1, 1, 0), receiveTask(2, 64, 0), receiveTask(2, 1, 0)},
		{sendTask(2, 8), sendTask(0, 1, 0)},
		{receiveTask(1, 8), sendTask(0, 64, 0), sendTask(0, 1)},
	}}
	for _, tasks := range g.ranks { // messages of different sizes do not match
		for i := range tasks {
			tasks[i].Message.Tag = int32(tasks[i].Message.Size)
		}
	}
	s := logGOPS{latency: 1, gap: 200, perByteCPU: 10, eager: 4}
	e := fabricast.Experiment{Network: s.network(), Ranks: len(g.ranks)}
	e = replayed(t, e, g, replay.Options{})
	got, err := e.Run(t.Context())
	if err != nil || got.SimulatedTime != 1031*fabricast.Nanosecond {
		t.Errorf("%v, %v, want 1031 ns", got, err)
	}
}

// TestFiguresOfLogGOPSimForTasks compares with results of LogGOPSim (version 1, commit 76451de)
// with its default parameters. Every rank posts sends to all other ranks, and receives from them,
// at once.
func TestFiguresOfLogGOPSimForTasks(t *testing.T) {
	for _, c := range []struct{ ranks, size, want int64 }{
		{2, 8, 5542},
		{3, 1024, 23_276},
		{5, 1024, 46_552},
		{8, 100_000, 4_238_458},
		{9, 8, 24_336},
		{16, 1, 45_000},
	} {
		g := &graph{groups: [][]int32{nil}}
		for r := range c.ranks {
			var tasks []trace.Task
			for d := int64(1); d < c.ranks; d++ {
				tasks = append(tasks, sendTask(int((r+d)%c.ranks), c.size))
			}
			for d := int64(1); d < c.ranks; d++ {
				tasks = append(tasks, receiveTask(int((r+d)%c.ranks), c.size))
			}
			g.ranks = append(g.ranks, tasks)
		}
		e := fabricast.Experiment{Network: experiment.Network{Model: experiment.ModelLogGOPS}, Ranks: int(c.ranks)}
		e = replayed(t, e, g, replay.Options{})
		got, err := e.Run(t.Context())
		if err != nil || got.SimulatedTime != fabricast.Time(c.want)*fabricast.Nanosecond {
			t.Errorf("%d ranks, %d bytes: %v, %v, want %d ns", c.ranks, c.size, got.SimulatedTime, err, c.want)
		}
	}
}
