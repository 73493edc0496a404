package aicb

import (
	"fmt"
	"slices"

	"fabricast/trace"
)

// groupKind says with which GPUs a GPU carries out a collective.
type groupKind int32

// The kinds of groups. GPUs are numbered as by Megatron-LM: tensor ranks vary fastest, then the ranks
// of experts, then the rest of data parallelism, then stages.
const (
	tensorGroup groupKind = iota
	dataGroup
	expertGroup
	expertDataGroup // data parallelism of experts: what is left of dataGroup
	groupKinds
)

// group is a division of GPUs: those that differ only in so many steps of a stride.
type group struct{ stride, size int }

// of returns the number of a GPU's group among its kind.
func (g group) of(gpu int) int { return gpu/(g.stride*g.size)*g.stride + gpu%g.stride }

// ranks returns the GPUs of group number n.
func (g group) ranks(n int) []int32 {
	list, first := make([]int32, g.size), n/g.stride*g.stride*g.size+n%g.stride
	for i := range list {
		list[i] = int32(first + i*g.stride)
	}
	return list
}

// graph is a workload as the tasks of GPUs.
type graph struct {
	gpus   int
	kinds  [groupKinds]group
	first  [groupKinds]int32 // index of the first group of a kind in groups
	groups [][]int32
	tasks  []trace.Task // of every GPU; the groups of collectives are kinds
}

func newGraph(w *workload) *graph {
	t, e := w.sizes[tensorKey], w.sizes[expertKey]
	d := w.sizes[gpusKey] / t / w.sizes[pipelineKey]
	g := &graph{
		gpus: w.sizes[gpusKey], groups: [][]int32{nil},
		kinds: [groupKinds]group{{1, t}, {t, d}, {t, e}, {t * e, d / e}},
	}
	for k, of := range g.kinds {
		g.first[k] = int32(len(g.groups))
		for n := 0; of.size > 1 && n < g.gpus/of.size; n++ {
			g.groups = append(g.groups, of.ranks(n))
		}
	}
	b := builder{graph: g, last: -1}
	if pipeline := w.sizes[pipelineKey]; pipeline > 1 {
		b.add(trace.Task{Kind: trace.TaskNothing, Skipped: fmt.Sprintf("order of the %d stages of a pipeline", pipeline)})
	}
	b.step(w)
	return g
}

// Format implements trace.Trace.
func (g *graph) Format() string { return Name }

// Ranks implements trace.Trace.
func (g *graph) Ranks() int { return g.gpus }

// Groups implements trace.Trace.
func (g *graph) Groups() [][]int32 { return g.groups }

// OpenTasks implements trace.Graph.
func (g *graph) OpenTasks(rank int) (trace.TaskStream, error) {
	return &trace.TaskList{Tasks: g.tasks, Group: func(kind int32) int32 {
		return g.first[kind] + int32(g.kinds[kind].of(rank))
	}}, nil
}

// builder makes the tasks of a GPU.
type builder struct {
	*graph
	last int64 // the task for which the next computation waits; -1: none
}

func (b *builder) add(t trace.Task) int64 {
	b.tasks = append(b.tasks, t)
	return int64(len(b.tasks) - 1)
}

// after returns what a task waits for.
func (b *builder) after(task int64) []int64 {
	if task < 0 {
		return nil
	}
	return []int64{task}
}

// step adds a step of training.
func (b *builder) step(w *workload) {
	for i := range w.layers {
		b.blocking(&w.layers[i], forward)
	}
	for i := len(w.layers) - 1; i >= 0; i-- {
		l := &w.layers[i]
		if slices.Contains(w.initiators, i) {
			for k := w.checkpoint(i); k < i; k++ {
				b.blocking(&w.layers[k], forward)
			}
		}
		b.blocking(l, inputGradient)
		b.compute(l, weightGradient)
		if c, called := b.collective(l, weightGradient); called {
			b.add(trace.Task{
				Kind: trace.TaskCompute, Lane: 1, Duration: l.update * nanosecond, Name: l.name + " update", After: b.after(c),
			})
		}
	}
}

// nanosecond is one in ps.
const nanosecond = 1000

// blocking adds a pass for whose collective the next one waits.
func (b *builder) blocking(l *layer, pass int) {
	b.compute(l, pass)
	if c, called := b.collective(l, pass); called {
		b.last = c
	}
}

func (b *builder) compute(l *layer, pass int) {
	b.last = b.add(trace.Task{
		Kind: trace.TaskCompute, Duration: l.passes[pass].time * nanosecond, Name: l.name + " " + passNames[pass],
		After: b.after(b.last),
	})
}

// collective adds the collective of a pass, unless there is none. Bytes are those of the whole
// buffer, of which a GPU has a part where it is gathered or scattered.
func (b *builder) collective(l *layer, pass int) (task int64, called bool) {
	c := l.passes[pass].call
	size := int64(b.kinds[c.group].size)
	if c.bytes == 0 || size == 1 {
		return 0, false
	}
	bytes := c.bytes
	if c.kind != trace.Allreduce {
		bytes = (bytes + size - 1) / size
	}
	return b.add(trace.Task{
		Kind: trace.TaskCollective, Call: trace.Operation{Kind: c.kind, Group: int32(c.group), Size: bytes},
		Name: l.name + " " + passNames[pass], After: b.after(b.last),
	}), true
}
