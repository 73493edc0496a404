package trace

import "io"

// TaskList is a TaskStream of tasks in memory. Other streams may have the same tasks.
type TaskList struct {
	Tasks []Task
	// Group, if not nil, returns the group of a collective whose Call.Group is given.
	Group func(which int32) int32
	Span  int64 // ps: what Recorded returns
	next  int
}

// Next implements TaskStream.
func (l *TaskList) Next(t *Task) error {
	if l.next == len(l.Tasks) {
		return io.EOF
	}
	after, sends := t.After[:0], t.Sends[:0]
	started, before, beforeAt := t.Started[:0], t.Before[:0], t.BeforeAt[:0]
	*t = l.Tasks[l.next]
	l.next++
	t.After, t.Sends = append(after, t.After...), append(sends, t.Sends...)
	t.Started, t.Before = append(started, t.Started...), append(before, t.Before...)
	t.BeforeAt = append(beforeAt, t.BeforeAt...)
	if t.Kind == TaskCollective && l.Group != nil {
		t.Call.Group = l.Group(t.Call.Group)
	}
	return nil
}

// Faults implements TaskStream.
func (l *TaskList) Faults() Faults { return Faults{} }

// Recorded implements TaskStream.
func (l *TaskList) Recorded() int64 { return l.Span }

// Events implements TaskStream.
func (l *TaskList) Events() int64 { return int64(l.next) }
