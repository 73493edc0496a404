package native

import "fabricast/trace"

// Bits of the flags of an encoded task: the optional fields that follow the fields of its kind.
const (
	taskAfter    = 1 << 0
	taskStarted  = 1 << 1
	taskBefore   = 1 << 2
	taskBeforeAt = 1 << 3
	taskAwaits   = 1 << 4
	taskName     = 1 << 5
	taskSkipped  = 1 << 6
)

// task appends t, the rank's task with index n.
func (e *encoder) task(n int64, t *trace.Task) {
	bits, lists := byte(0), [...][]int64{t.After, t.Started, t.Before, t.BeforeAt}
	for i, list := range lists {
		if len(list) > 0 {
			bits |= taskAfter << i
		}
	}
	if t.Awaits != 0 {
		bits |= taskAwaits
	}
	if t.Name != "" {
		bits |= taskName
	}
	if t.Skipped != "" {
		bits |= taskSkipped
	}
	e.b = append(e.b, byte(t.Kind), bits)
	e.work(t)
	for _, list := range lists {
		if len(list) > 0 {
			e.numbers(n, list)
		}
	}
	if bits&taskAwaits != 0 {
		e.unsigned(uint64(t.Awaits))
	}
	if bits&taskName != 0 {
		e.name(t.Name)
	}
	if bits&taskSkipped != 0 {
		e.name(t.Skipped)
	}
}

// work appends the fields that depend on the kind of the task.
func (e *encoder) work(t *trace.Task) {
	switch t.Kind {
	case trace.TaskCompute:
		e.signed(t.Duration)
		e.signed(int64(t.Lane))
		e.unsigned(uint64(len(t.Sends)))
		for i := range t.Sends {
			e.signed(t.Sends[i].Offset)
			e.message(&t.Sends[i].Message)
		}
	case trace.TaskSend, trace.TaskReceive:
		e.message(&t.Message)
		e.signed(int64(t.NIC))
	case trace.TaskCollective:
		e.operation(&t.Call)
	case trace.TaskUntil:
		e.signed(t.Duration)
	}
}

// numbers appends a list of task indices as differences from n, the index of the task that refers
// to them.
func (e *encoder) numbers(n int64, list []int64) {
	e.unsigned(uint64(len(list)))
	for _, other := range list {
		e.signed(other - n)
	}
}
