package kineto

import "fabricast/trace"

// tasks returns the tasks of a rank.
func (p *profile) tasks() *trace.TaskList {
	b := builder{streams: map[int64]*stream{}, list: &trace.TaskList{}}
	if len(p.kernels) > 0 {
		b.begin = p.kernels[0].start
	}
	for i := range p.kernels {
		b.kernel(&p.kernels[i])
	}
	return b.list
}

// stream is a stream of the accelerator.
type stream struct {
	lane int32
	done []ended
}

// ended is a task with the time at which it ended in the trace.
type ended struct {
	task int64
	at   int64 // ns
}

// before returns the last task of a stream that ended at a time or before, and whether there is one.
func (s *stream) before(at int64) (ended, bool) {
	for i := len(s.done) - 1; i >= 0; i-- {
		if s.done[i].at <= at {
			return s.done[i], true
		}
	}
	return ended{}, false
}

// builder makes the tasks of a rank.
type builder struct {
	list    *trace.TaskList
	streams map[int64]*stream
	order   []*stream
	begin   int64 // ns: start of the first kernel
}

func (b *builder) add(t trace.Task) int64 {
	b.list.Tasks = append(b.list.Tasks, t)
	return int64(len(b.list.Tasks) - 1)
}

// picoseconds in a nanosecond.
const picoseconds = 1000

// kernel adds a kernel, and the delay before it.
func (b *builder) kernel(k *kernel) {
	s := b.streams[k.stream]
	if s == nil {
		s = &stream{lane: int32(len(b.order))}
		b.streams[k.stream], b.order = s, append(b.order, s)
	}
	after, ready := b.waits(s, k)
	delay := max(0, k.start-ready) * picoseconds
	t := trace.Task{Kind: trace.TaskCompute, Lane: s.lane, Name: k.name, After: after}
	switch {
	case k.call == nil && !k.unknown:
		t.Duration = delay + (k.end-k.start)*picoseconds
	default:
		if delay > 0 {
			t.After = []int64{b.add(trace.Task{Kind: trace.TaskCompute, Lane: s.lane, Duration: delay, After: after})}
		}
		if k.unknown {
			t.Kind, t.Skipped = trace.TaskNothing, "collective without sizes"
		} else {
			k.call.Task(&t)
		}
	}
	s.done = append(s.done, ended{b.add(t), k.end})
	b.list.Span = max(b.list.Span, (k.end-b.begin)*picoseconds)
}

// waits returns for which tasks a kernel waits, and when the last of them ended in the trace: the one
// before it in its stream, and the last ones of other streams that ended since.
func (b *builder) waits(s *stream, k *kernel) (after []int64, ready int64) {
	ready = b.begin
	since := int64(-1 << 62)
	if n := len(s.done); n > 0 {
		last := s.done[n-1]
		after, ready, since = append(after, last.task), max(ready, last.at), last.at
	}
	for _, other := range b.order {
		if e, found := other.before(k.start); other != s && found && e.at > since {
			after, ready = append(after, e.task), max(ready, e.at)
		}
	}
	return after, ready
}
