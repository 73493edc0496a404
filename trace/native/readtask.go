package native

import (
	"fmt"
	"io"
	"math"

	"fabricast/trace"
)

// mostTask is the maximum difference between the indices of a task and of the task that refers to
// it.
const mostTask = 1 << 40

// Graph is an opened trace of tasks.
type Graph struct{ file }

// OpenTasks implements trace.Graph.
func (g *Graph) OpenTasks(rank int) (trace.TaskStream, error) {
	return &taskStream{g.stream(rank)}, nil
}

// taskStream reads the tasks of a rank.
type taskStream struct{ *stream }

// Next implements trace.TaskStream.
func (s *taskStream) Next(t *trace.Task) error {
	if s.err != nil {
		return s.err
	}
	if s.left == 0 {
		return io.EOF
	}
	begin := s.at
	sends, blocks := t.Sends[:0], t.Call.Blocks[:0]
	lists := [...][]int64{t.After[:0], t.Started[:0], t.Before[:0], t.BeforeAt[:0]}
	*t = trace.Task{Kind: trace.TaskKind(s.byte())}
	bits := s.byte()
	s.work(t, sends, blocks)
	for i := range lists {
		if bits&(taskAfter<<i) != 0 {
			lists[i] = s.numbers(lists[i])
		}
	}
	t.After, t.Started, t.Before, t.BeforeAt = lists[0], lists[1], lists[2], lists[3]
	if bits&taskAwaits != 0 {
		if t.Awaits = int64(s.unsigned()); s.err == nil && uint64(t.Awaits) > math.MaxInt32 {
			s.wrong("awaited tasks", fmt.Sprint(uint64(t.Awaits)), fmt.Sprintf("0 to %d", math.MaxInt32))
		}
	}
	if bits&taskName != 0 {
		t.Name = s.name()
	}
	if bits&taskSkipped != 0 {
		t.Skipped = s.name()
	}
	return s.ended("task", begin)
}

// work reads the fields that depend on the kind of the task. It reuses the memory of sends and
// blocks.
func (s *stream) work(t *trace.Task, sends []trace.OffsetSend, blocks []int64) {
	t.Sends = sends
	switch t.Kind {
	case trace.TaskCompute:
		t.Duration = s.duration()
		t.Lane = int32(s.within("lane", 0, math.MaxInt32))
		for n, least := s.count(), int64(0); n > 0 && s.err == nil; n-- {
			var o trace.OffsetSend
			o.Offset = s.within("offset", least, t.Duration)
			s.end(&o.Message, false)
			least, t.Sends = o.Offset, append(t.Sends, o)
		}
	case trace.TaskSend, trace.TaskReceive:
		s.end(&t.Message, t.Kind == trace.TaskReceive)
		t.NIC = int32(s.within("NIC", 0, math.MaxInt32))
	case trace.TaskCollective:
		s.operation(&t.Call, blocks)
	case trace.TaskNothing:
	case trace.TaskUntil:
		t.Duration = s.duration()
	default:
		s.wrong("task", fmt.Sprintf("kind %d", t.Kind), fmt.Sprintf("0 to %d", trace.TaskUntil))
	}
}

// end reads a message, and checks that it is a send or, if receives is true, a receive.
func (s *stream) end(m *trace.Message, receives bool) {
	s.message(m)
	if s.err == nil && m.Receive != receives {
		s.wrong("message", fmt.Sprintf("receive: %v", m.Receive), fmt.Sprint(receives))
	}
}

// numbers reads a list of task indices and appends them to list.
func (s *stream) numbers(list []int64) []int64 {
	for n := s.count(); n > 0 && s.err == nil; n-- {
		list = append(list, s.records+s.within("task", -s.records, mostTask))
	}
	return list
}
