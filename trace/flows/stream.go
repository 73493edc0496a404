package flows

import (
	"io"

	"fabricast/trace"
)

// stream yields the tasks of a rank.
type stream struct {
	*graph
	rank int32
	next int
}

// OpenTasks implements trace.Graph.
func (g *graph) OpenTasks(rank int) (trace.TaskStream, error) {
	return &stream{graph: g, rank: int32(rank)}, nil
}

// Next implements trace.TaskStream.
func (s *stream) Next(t *trace.Task) error {
	if s.next == len(s.tasks[s.rank]) {
		return io.EOF
	}
	e := s.tasks[s.rank][s.next]
	s.next++
	*t = trace.Task{
		After: t.After[:0], Started: t.Started[:0], Before: t.Before[:0], BeforeAt: t.BeforeAt[:0],
		Sends: t.Sends[:0],
	}
	if e.after >= 0 {
		t.After = append(t.After, int64(e.after))
	}
	switch e.kind {
	case note:
		t.Kind, t.Skipped = trace.TaskNothing, s.Omitted[e.index]
	case until:
		t.Kind, t.Duration = trace.TaskUntil, s.Flows[e.index].Start
	case receive:
		f := &s.Flows[e.index]
		t.Kind = trace.TaskReceive
		t.Message = trace.Message{Peer: f.Src, Tag: e.index, Size: f.Size, Receive: true}
	case send:
		f := &s.Flows[e.index]
		t.Kind, t.Message = trace.TaskSend, trace.Message{Peer: f.Dst, Tag: e.index, Size: f.Size}
		s.await(t, f)
	case signal:
		m := &s.signals[e.index]
		t.Kind, t.Message = trace.TaskSend, trace.Message{Peer: m.to, Tag: s.tag(e.index)}
		t.After = append(t.After, s.taskOf(m.event))
	case signalReceive:
		m := &s.signals[e.index]
		t.Kind = trace.TaskReceive
		t.Message = trace.Message{Peer: m.from, Tag: s.tag(e.index), Receive: true}
	}
	return nil
}

// tag returns the tag of a signal, which no flow has.
func (s *stream) tag(signal int32) int32 { return int32(len(s.Flows)) + signal }

// await adds to the send of a flow what its trigger waits for.
func (s *stream) await(t *trace.Task, f *Flow) {
	if f.Trigger == 0 {
		return
	}
	for _, e := range s.Set.Triggers[f.Trigger-1].Events {
		task := int64(0)
		if signal, far := s.told[tellKey{e, s.rank}]; far {
			task = int64(s.signals[signal].received)
		} else {
			task = s.taskOf(e)
		}
		t.After = append(t.After, task)
	}
}

// taskOf returns the number of the task whose end is an event, at the rank where it happens.
func (s *stream) taskOf(e Event) int64 {
	if e.Received {
		return int64(s.receives[e.Flow])
	}
	return int64(s.sendAt[e.Flow])
}

// Faults implements trace.TaskStream.
func (s *stream) Faults() trace.Faults { return trace.Faults{} }

// Recorded implements trace.TaskStream. It returns 0, because flows have no recorded times.
func (s *stream) Recorded() int64 { return 0 }

// Events implements trace.TaskStream.
func (s *stream) Events() int64 { return int64(s.next) }
