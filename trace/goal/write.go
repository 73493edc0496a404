package goal

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"fabricast/internal/atomicfile"
	"fabricast/trace"
)

// WriteBinary writes g to the file path as a binary schedule. It reads the tasks of each rank
// twice, and stores the tasks of one rank at a time in memory. It returns a *trace.HoldError if the
// binary form cannot represent g.
func WriteBinary(path string, g trace.Graph) error {
	return atomicfile.Write(path, func(to io.Writer) error {
		w := bufio.NewWriter(to)
		if err := writeBinary(w, g); err != nil {
			return err
		}
		return w.Flush()
	})
}

func writeBinary(w io.Writer, g trace.Graph) error {
	var most fields // the highest processor and NIC
	table := make([]byte, 0, rangeSize*g.Ranks())
	at := uint64(headerSize + rangeSize*g.Ranks())
	for rank := range g.Ranks() {
		r, err := readRank(g, rank)
		if err != nil {
			return err
		}
		table = binary.LittleEndian.AppendUint64(table, at)
		at += r.size()
		table = binary.LittleEndian.AppendUint64(table, at)
		most.cpu, most.nic = max(most.cpu, r.most.cpu), max(most.nic, r.most.nic)
	}
	head := binary.LittleEndian.AppendUint64(nil, magic)
	head = binary.LittleEndian.AppendUint32(head, uint32(g.Ranks()))
	head = append(append(head, most.cpu, most.nic), table...)
	if _, err := w.Write(head); err != nil {
		return err
	}
	for rank := range g.Ranks() {
		r, err := readRank(g, rank)
		if err != nil {
			return err
		}
		if _, err := w.Write(r.bytes()); err != nil {
			return err
		}
	}
	return nil
}

// rankTasks holds the tasks of a rank and the dependencies between them.
type rankTasks struct {
	tasks  []fields
	awaits []uint32 // by task: number of tasks that it depends on
	edges  [2][]edge
	most   fields
}

// edge is a dependency: task after waits for task before.
type edge struct{ before, after int64 }

// The kinds of edges: dependencies on ends and on starts.
const (
	onEnd = iota
	onStart
)

// readRank reads all tasks of a rank.
func readRank(g trace.Graph, rank int) (*rankTasks, error) {
	s, err := g.OpenTasks(rank)
	if err != nil {
		return nil, err
	}
	r := &rankTasks{}
	var t trace.Task
	for err = s.Next(&t); err == nil; err = s.Next(&t) {
		if what := r.add(&t); what != "" {
			return nil, &trace.HoldError{Format: "GOAL", Rank: rank, What: what}
		}
	}
	if err != io.EOF {
		return nil, err
	}
	r.awaits = make([]uint32, len(r.tasks))
	for _, list := range r.edges {
		for _, e := range list {
			if e.after >= int64(len(r.tasks)) || e.before >= int64(len(r.tasks)) {
				what := fmt.Sprintf(
					"a dependency between tasks %d and %d of %d", e.before, e.after, len(r.tasks),
				)
				return nil, &trace.HoldError{Format: "GOAL", Rank: rank, What: what}
			}
			r.awaits[e.after]++
		}
	}
	return r, nil
}

// add adds a task. If the binary form cannot represent the task, add returns a description of the
// reason, otherwise "".
func (r *rankTasks) add(t *trace.Task) (what string) {
	n := int64(len(r.tasks))
	f := fields{
		kind: computes, peer: uint32(t.Message.Peer), size: uint64(t.Message.Size),
		tag: uint32(t.Message.Tag),
		cpu: uint8(t.Lane),
	}
	switch t.Kind {
	case trace.TaskSend:
		f.kind = sends
		f.nic = uint8(max(0, t.NIC-1))
	case trace.TaskReceive:
		f.kind = receives
	case trace.TaskCompute, trace.TaskNothing:
		const picoseconds = 1000 // in a nanosecond
		f.peer, f.tag, f.size = 0, 0, uint64(t.Duration+picoseconds/2)/picoseconds
	}
	switch {
	case t.Kind == trace.TaskUntil:
		return fmt.Sprintf("times of starts (task %d)", n)
	case t.Kind == trace.TaskCollective || len(t.Sends) > 0:
		return fmt.Sprintf("collectives, and messages within computations (task %d)", n)
	case t.Lane > math.MaxUint8 || t.NIC > math.MaxUint8:
		return fmt.Sprintf("more than %d processors or NICs (task %d)", math.MaxUint8, n)
	case t.Message.Group != 0:
		return fmt.Sprintf("communicators (task %d)", n)
	case n >= math.MaxUint32 || len(r.edges[onEnd])+len(r.edges[onStart]) >= math.MaxInt32:
		return fmt.Sprintf("so many tasks or dependencies (task %d)", n)
	}
	r.tasks = append(r.tasks, f)
	r.most.cpu, r.most.nic = max(r.most.cpu, f.cpu), max(r.most.nic, f.nic)
	link := func(kind int, list []int64, waits bool) {
		for _, other := range list {
			e := edge{n, other}
			if waits {
				e = edge{other, n}
			}
			r.edges[kind] = append(r.edges[kind], e)
		}
	}
	link(onEnd, t.After, true)
	link(onEnd, t.Before, false)
	link(onStart, t.Started, true)
	link(onStart, t.BeforeAt, false)
	return ""
}

// roots returns the number of tasks that depend on no other task.
func (r *rankTasks) roots() (n int) {
	for _, a := range r.awaits {
		if a == 0 {
			n++
		}
	}
	return n
}

// size returns the size, in bytes, of the rank's section of a binary file.
func (r *rankTasks) size() uint64 {
	const number = 4
	edges := len(r.edges[onEnd]) + len(r.edges[onStart])
	return uint64(2*number + number*r.roots() + nodeSize*len(r.tasks) + number*edges)
}

// bytes returns the rank's section of a binary file.
func (r *rankTasks) bytes() []byte {
	u32 := binary.LittleEndian.AppendUint32
	b := make([]byte, 0, r.size())
	b = u32(u32(b, uint32(len(r.tasks))), uint32(r.roots()))
	for i, a := range r.awaits {
		if a == 0 {
			b = u32(b, uint32(i))
		}
	}
	successors := r.successors()
	at := uint32(0)
	for i := range r.tasks {
		f := &r.tasks[i]
		b = append(u32(b, r.awaits[i]), f.kind)
		b = binary.LittleEndian.AppendUint64(u32(b, f.peer), f.size)
		b = append(u32(b, f.tag), f.cpu, f.nic)
		for kind := range successors {
			n := uint32(len(successors[kind][i]))
			b = u32(u32(b, n), at)
			at += n
		}
	}
	for i := range r.tasks {
		for kind := range successors {
			for _, s := range successors[kind][i] {
				b = u32(b, uint32(s))
			}
		}
	}
	return b
}

// successors returns, by kind of dependency and task, the tasks that wait for the task, in the
// order of the trace.
func (r *rankTasks) successors() (lists [2][][]int64) {
	for kind, edges := range r.edges {
		lists[kind] = make([][]int64, len(r.tasks))
		for _, e := range edges {
			lists[kind][e.before] = append(lists[kind][e.before], e.after)
		}
	}
	return lists
}
