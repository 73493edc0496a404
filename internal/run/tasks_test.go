package run

import (
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"fabricast/experiment"
	"fabricast/replay"
	"fabricast/trace"
)

// taskTrace is a trace of tasks in memory.
type taskTrace [][]trace.Task

func (t taskTrace) Format() string    { return "memory" }
func (t taskTrace) Ranks() int        { return len(t) }
func (t taskTrace) Groups() [][]int32 { return [][]int32{nil, {0}} }

func (t taskTrace) OpenTasks(rank int) (trace.TaskStream, error) {
	return &taskStream{tasks: t[rank]}, nil
}

// shortTasks is a trace whose ranks may read all their tasks at once.
type shortTasks struct{ taskTrace }

func (shortTasks) Short() bool { return true }

type taskStream struct {
	tasks []trace.Task
	at    int
}

func (s *taskStream) Faults() trace.Faults { return trace.Faults{} }
func (s *taskStream) Events() int64        { return int64(s.at) }
func (s *taskStream) Recorded() int64      { return 0 }

func (s *taskStream) Next(t *trace.Task) error {
	if s.at == len(s.tasks) {
		return io.EOF
	}
	*t = s.tasks[s.at]
	s.at++
	return nil
}

// drawTasks draws tasks of all kinds, or plain ones: messages and computations of one processor.
// Dependencies refer to earlier tasks, and messages are sent before they are received, so that all
// tasks can be executed.
func drawTasks(d *rand.Rand, ranks int, plain bool) taskTrace {
	t := make(taskTrace, ranks)
	lanes := int32(1 + d.IntN(3))
	add := func(r int, task trace.Task) {
		n := int64(len(t[r]))
		for range min(n, int64(d.IntN(3))) {
			switch on := n - 1 - d.Int64N(min(n, 30)); d.IntN(4) {
			case 0:
				task.Started = append(task.Started, on)
			case 1:
				t[r][on].Before = append(t[r][on].Before, n)
				task.Awaits++
			case 2:
				t[r][on].BeforeAt = append(t[r][on].BeforeAt, n)
				task.Awaits++
			default:
				task.After = append(task.After, on)
			}
		}
		t[r] = append(t[r], task)
	}
	calls := []trace.CollectiveKind{trace.Allreduce, trace.Alltoall, trace.Barrier, trace.Broadcast}
	tag := int32(0)
	for range 300 + d.IntN(1500) {
		from, to := d.IntN(ranks), d.IntN(ranks)
		m := trace.Message{Peer: int32(to), Tag: tag, Size: d.Int64N(1 << d.IntN(16))}
		switch tag++; {
		case plain && d.IntN(4) == 0:
			add(from, trace.Task{Duration: d.Int64N(3_000_000)})
			continue
		case plain:
			add(from, trace.Task{Kind: trace.TaskSend, Message: m})
		case d.IntN(60) == 0:
			o := trace.Operation{Kind: calls[d.IntN(len(calls))], Size: d.Int64N(3000)}
			for r := range t {
				add(r, trace.Task{Kind: trace.TaskCollective, Call: o})
			}
			continue
		case d.IntN(4) == 0:
			c := trace.Task{Duration: d.Int64N(3_000_000), Lane: d.Int32N(lanes)}
			c.Sends = []trace.OffsetSend{{Offset: d.Int64N(c.Duration + 1), Message: m}}
			add(from, c)
		default:
			add(from, trace.Task{Kind: trace.TaskSend, Message: m})
		}
		add(to, trace.Task{Kind: trace.TaskReceive, Message: trace.Message{
			Receive: true, Peer: int32(from), Tag: m.Tag, Size: m.Size,
		}})
	}
	return t
}

// TestResumedTasks stops a trace of tasks at random windows and resumes it with other numbers of
// workers. It must end with the result of an uninterrupted run. If the tasks are plain, the stopped
// runs hold them in tables, and the uninterrupted run reads them in pieces.
func TestResumedTasks(t *testing.T) {
	seeds := 60
	if testing.Short() {
		seeds = 10
	}
	stops := 0
	for seed := range uint64(seeds) {
		d := rand.New(rand.NewPCG(seed, 51))
		text := fmt.Sprintf("seed: %d\nnetwork: {topology: {dims: [3, 3]}}\nnode: {ranks: %s%s}\n", d.IntN(100),
			one(d, "1", "2"), one(d, "", ", protocol: {eager: 1KiB, rendezvous: write}"))
		plain := seed%2 == 0
		tasks := drawTasks(d, 2+d.IntN(8), plain)
		all := trace.Trace(tasks)
		options := replay.Options{Sets: d.IntN(2) == 0}
		run := func(s settings, round uint64) (string, *Result, error) {
			e := resolved(t, fmt.Sprintf("%sranks: %d\nworkload: {program: barrier}\n", text, len(tasks)))
			job, err := replay.New(all, options)
			if err != nil {
				t.Fatal(err)
			}
			e.Workload, e.Launch = experiment.Workload{}, job.Launcher()
			return advance(t, text, e, s, round)
		}
		s := settings{
			out: filepath.Join(t.TempDir(), "result"), workers: 1 + d.IntN(4), checkpoints: &Checkpoints{},
		}
		_, want, err := run(s, forever)
		if err != nil {
			t.Fatalf("%d: %v\n%s", seed, err, text)
		}
		if plain {
			all = shortTasks{tasks}
		}
		got, stopped, err := inStages(t, d, s, 11, run)
		if err != nil {
			t.Fatalf("%d: %v\n%s", seed, err, text)
		}
		stops += stopped
		if same(got) != same(want) {
			t.Fatalf("%d: resumed: %s\nat once: %s\n%s", seed, same(got), same(want), text)
		}
	}
	if stops < seeds {
		t.Errorf("%d stops in %d runs", stops, seeds)
	}
	t.Logf("%d stops in %d runs", stops, seeds)
}
