package replay

import (
	"io"
	"math"

	"fabricast/internal/offheap"
	"fabricast/trace"
)

// table holds all tasks of a rank, if these are plain: messages and computations that depend on one
// another. A task is identified by its number in the trace plus 1, because 0 means none. The arrays
// last as long as the tabulator.
type table struct {
	steps  []step   // by number of the task in the trace
	next   []uint32 // tasks that wait for others, see step.edges
	left   []uint32 // by number: what is left to be done, see scheduled
	faults trace.Faults
}

// step is a task of a table.
type step struct {
	size int64 // bytes of a message; duration of a computation (ps)
	peer int32
	tag  int32
	// edges is the place in table.next of the tasks that wait for this one. The first of them wait
	// for its start, the others, up to the edges of the next task, for its end.
	edges  uint32
	starts uint16 // number of those that wait for its start
	nic    uint8  // of a send: 1 + the NIC to use, or 0
	kind   trace.TaskKind
}

// mostSteps bounds the number of tasks and of dependencies in a table: the words of requests hold
// the number of a task.
const mostSteps = startOf - 1

// atStart and atEnd return the tasks that wait for the start of a task, and for its end.
func (t *table) atStart(id uint32) []uint32 {
	s := &t.steps[id-1]
	return t.next[s.edges:][:s.starts]
}

func (t *table) atEnd(id uint32) []uint32 {
	s, end := &t.steps[id-1], uint32(len(t.next))
	if int(id) < len(t.steps) {
		end = t.steps[id].edges
	}
	return t.next[s.edges+uint32(s.starts) : end]
}

// tabulator reads tables. It keeps its memory from one to the next.
type tabulator struct {
	open    func(rank int) (trace.TaskStream, error)
	slabs   offheap.Slabs // arrays of tables; the Go heap would grow by twice as much
	scratch trace.Task
	steps   []step
	awaits  []int32 // by task: Task.Awaits
	edges   []tableEdge
	places  []uint32
}

// tableEdge is a dependency between two tasks, which are counted from 0.
type tableEdge struct {
	on, waits uint32 // waits depends on on
	start     bool   // on its start, not on its end
	named     bool   // on states it, not waits
}

// array makes an array of a table.
func array[T any](b *tabulator, n int) []T {
	list, err := offheap.Cut[T](&b.slabs, n)
	if err != nil { // no memory there
		return make([]T, n)
	}
	return list
}

// read reads all tasks of a rank. It returns nil if they are not plain, if there are too many, or if
// anything is wrong with them: then they have to be read piece by piece, and what is wrong is
// reported when the rank gets there.
func (b *tabulator) read(j *Job, rank int) *table {
	stream, err := b.open(rank)
	if err != nil {
		return nil
	}
	b.steps, b.awaits, b.edges = b.steps[:0], b.awaits[:0], b.edges[:0]
	factor := j.scale.compute(rank)
	for {
		switch err := stream.Next(&b.scratch); {
		case err == io.EOF && b.agrees():
			return b.table(stream.Faults())
		case err != nil || !b.add(j, factor):
			return nil
		}
	}
}

// add adds the task that has been read. It returns false if the task is not plain.
func (b *tabulator) add(j *Job, factor float64) bool {
	t, s := &b.scratch, step{kind: b.scratch.Kind}
	switch {
	case len(b.steps) >= mostSteps || len(b.edges) >= mostSteps:
		return false
	case t.Kind == trace.TaskCompute && t.Lane == 0 && len(t.Sends) == 0:
		s.size = scaled(t.Duration, factor)
	case t.Kind == trace.TaskSend || t.Kind == trace.TaskReceive:
		if t.Message.Group != 0 || t.NIC < 0 || t.NIC > math.MaxUint8 {
			return false
		}
		at := placeOf(&t.Message)
		s.size, s.peer, s.tag, s.nic = j.size(t.Message.Size), at.peer, at.tag, uint8(t.NIC)
	default:
		return false
	}
	b.steps, b.awaits = append(b.steps, s), append(b.awaits, int32(t.Awaits))
	b.waitFor(t.After, false)
	b.waitFor(t.Started, true)
	b.precede(t.Before, false)
	b.precede(t.BeforeAt, true)
	return true
}

// waitFor adds that the task that has been read depends on others.
func (b *tabulator) waitFor(others []int64, start bool) {
	id := uint32(len(b.steps) - 1)
	for _, on := range others {
		b.edges = append(b.edges, tableEdge{on: uint32(min(uint64(on), math.MaxUint32)), waits: id, start: start})
	}
}

// precede adds that others depend on the task that has been read.
func (b *tabulator) precede(others []int64, start bool) {
	id := uint32(len(b.steps) - 1)
	for _, waits := range others {
		b.edges = append(b.edges, tableEdge{id, uint32(min(uint64(waits), math.MaxUint32)), start, true})
	}
}

// agrees reports whether all dependencies are between tasks that there are, and whether each task
// awaits as many others as name it. It leaves 0 in awaits if so.
func (b *tabulator) agrees() bool {
	n := uint32(len(b.steps))
	for i := range b.edges {
		e := &b.edges[i]
		if e.on >= n || e.waits >= n || e.on == e.waits {
			return false
		}
		if e.named {
			b.awaits[e.waits]--
		}
	}
	for _, left := range b.awaits {
		if left != 0 {
			return false
		}
	}
	return true
}

// table makes the table of the tasks that have been read. It sorts the dependencies by what they
// depend on, and keeps their order otherwise.
func (b *tabulator) table(f trace.Faults) *table {
	n := len(b.steps)
	words := array[uint32](b, len(b.edges)+n)
	t := &table{steps: array[step](b, n), next: words[:len(b.edges)], left: words[len(b.edges):], faults: f}
	b.places = append(b.places[:0], make([]uint32, 2*n)...)
	starts, ends := b.places[:n], b.places[n:]
	for i := range b.edges {
		e := &b.edges[i]
		t.left[e.waits]++
		if e.start {
			starts[e.on]++
		} else {
			ends[e.on]++
		}
	}
	at := uint32(0)
	for i := range b.steps {
		s := &b.steps[i]
		if starts[i] > math.MaxUint16 {
			return nil
		}
		s.edges, s.starts = at, uint16(starts[i])
		starts[i], ends[i], at = at, at+starts[i], at+starts[i]+ends[i]
	}
	for i := range b.edges {
		e := &b.edges[i]
		place := &ends[e.on]
		if e.start {
			place = &starts[e.on]
		}
		t.next[*place] = e.waits + 1
		*place++
	}
	copy(t.steps, b.steps)
	return t
}
