package goal

import (
	"encoding/binary"
	"fmt"
	"io"

	"fabricast/trace"
)

// Magic numbers of a complete schedule, and of one whose writing was not finished.
const (
	magic      = 4223
	unfinished = 2342
)

// Sizes and offsets in bytes.
const (
	base       = 8 // offsets stored in a file are relative to this offset
	headerSize = 6
	rangeSize  = 16 // of an entry in the table of ranks
	nodeSize   = 39
	// nodeSize in files of LogGOPSim2, whose tasks have additional fields for Portals 4 at the end
	node2Size = 104
)

// binaryGraph is an opened binary schedule.
type binaryGraph struct {
	file  *trace.Shared
	ranks int
	nics  bool
	size  int64
}

// openBinary opens a binary schedule: it reads the header.
func openBinary(file *trace.Shared) (trace.Graph, error) {
	w := file.Pieces(base + headerSize)
	size, err := w.Size()
	if err != nil {
		return nil, err
	}
	b, err := w.Peek(base + headerSize)
	if err != nil {
		return nil, err
	}
	fail := func(at int64, what, found, expected string) (trace.Graph, error) {
		return nil, &trace.Error{File: file.Path, Offset: at, What: what, Found: found, Expected: expected}
	}
	if len(b) < base+headerSize {
		return fail(0, "file", fmt.Sprintf("%d bytes", size), "at least 14 of a schedule")
	}
	switch n := binary.LittleEndian.Uint64(b); n {
	case magic:
	case unfinished:
		return fail(0, "file", "the mark of one whose writing was not finished", "a schedule that is whole")
	default:
		return fail(0, "file", fmt.Sprintf("one that begins with the number %d", n), fmt.Sprint(magic))
	}
	g := &binaryGraph{
		file:  file,
		ranks: int(binary.LittleEndian.Uint32(b[base:])),
		nics:  b[base+5] > 0,
		size:  size,
	}
	if most := (size - base - headerSize) / rangeSize; int64(g.ranks) > most || g.ranks < 1 {
		return fail(
			base, "num_ranks", fmt.Sprint(g.ranks),
			fmt.Sprintf("1 to %d, for which the file has room", most),
		)
	}
	return g, nil
}

// Format implements trace.Trace.
func (g *binaryGraph) Format() string { return "GOAL" }

// Ranks implements trace.Trace.
func (g *binaryGraph) Ranks() int { return g.ranks }

// Groups implements trace.Trace: all communication is in the world.
func (g *binaryGraph) Groups() [][]int32 { return [][]int32{nil} }

// Short implements trace.Short: a task takes less memory than its bytes in the file.
func (g *binaryGraph) Short() bool { return g.file.Held() }

// OpenTasks implements trace.Graph.
func (g *binaryGraph) OpenTasks(rank int) (trace.TaskStream, error) {
	const windows = 2
	chunk := trace.Chunk(windows * g.ranks)
	s := &binaryStream{
		graph: g,
		nodes: g.file.Window(chunk),
		next:  g.file.Window(chunk),
	}
	start, end, err := s.find(rank, &s.nodes)
	if err == nil && s.damage == nil {
		err = s.begin(start, end)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// InTurn implements trace.InTurn. It reads the file in pieces that many ranks share, so that the file
// need not be held in memory.
func (g *binaryGraph) InTurn() func(rank int) (trace.TaskStream, error) {
	const piece = 256 << 10
	entries, before := g.file.Pieces(piece/16), -1
	s := &binaryStream{nodes: g.file.Pieces(piece), next: g.file.Pieces(piece)}
	return func(rank int) (trace.TaskStream, error) {
		*s = binaryStream{graph: g, nodes: s.nodes, next: s.next}
		start, end, err := s.find(rank, &entries)
		if err == nil && s.damage == nil {
			chunk := piece
			if rank != before+1 { // the rest of a long piece would not be used
				chunk = int(min(end-start, piece))
			}
			s.nodes.Chunk, s.next.Chunk = chunk, chunk
			err = s.begin(start, end)
		}
		before = rank
		if err != nil {
			return nil, err
		}
		return s, nil
	}
}

// find returns the place of a rank's section in the file, which it reads by means of a window on the
// table of ranks. It sets s.damage if the table is wrong.
func (s *binaryStream) find(rank int, w *trace.Window) (start, end int64, err error) {
	entry := base + headerSize + rangeSize*int64(rank)
	w.Goto(entry)
	b, err := w.Peek(rangeSize)
	if err != nil {
		return 0, 0, err
	}
	if len(b) < rangeSize {
		s.damage = s.fail(entry, "place of the rank", "the end of the file", "two numbers")
		return 0, 0, nil
	}
	from, to := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	if most := uint64(s.graph.size - base); to > most || from > to || to-from < 8 {
		s.damage = s.fail(
			entry, "place of the rank", fmt.Sprintf("%d to %d", from, to),
			fmt.Sprintf("two numbers up to %d, the size of the file", most),
		)
	}
	return base + int64(from), base + int64(to), nil
}

// binaryStream reads the tasks of a rank. The tasks and the lists of their successors are in
// different sections of the file, so each section has its own trace.Window.
type binaryStream struct {
	graph  *binaryGraph
	nodes  trace.Window
	next   trace.Window
	size   int64  // size of a task, in bytes
	tasks  uint32 // number of tasks of the rank
	task   uint32 // index of the next task
	edges  int64  // number of dependencies of the rank
	passed int64  // number of dependencies read so far
	list   int64  // offset of the lists of successors
	damage error  // error found before the first task
}

// begin reads the header of a rank's section of the file, which extends from offset start to end.
func (s *binaryStream) begin(start, end int64) error {
	s.nodes.Goto(start)
	b, err := s.nodes.Peek(8)
	if err != nil {
		return err
	}
	roots := int64(binary.LittleEndian.Uint32(b[4:]))
	s.tasks = binary.LittleEndian.Uint32(b)
	nodes := start + 8 + 4*roots
	if s.size, err = s.layout(nodes, end); err != nil {
		return err
	}
	s.list = nodes + s.size*int64(s.tasks)
	if s.list > end || (end-s.list)%4 != 0 {
		s.damage = s.fail(
			start, "tasks", fmt.Sprintf("%d with %d that depend on none", s.tasks, roots),
			fmt.Sprintf("those of %d bytes", end-start),
		)
		return nil
	}
	s.edges = (end - s.list) / 4
	s.nodes.Goto(nodes)
	return nil
}

// layout returns the size, in bytes, of the tasks of the rank. They start at offset nodes. Files of
// LogGOPSim2 have larger tasks, but nothing in the file marks them. layout returns the size with
// which the first tasks have valid kinds.
func (s *binaryStream) layout(nodes, end int64) (size int64, err error) {
	fits := func(size int64) (bool, error) {
		list := nodes + size*int64(s.tasks)
		if list > end || (end-list)%4 != 0 {
			return false, nil
		}
		for task := range min(int64(s.tasks), looked) {
			s.nodes.Goto(nodes + size*task)
			b, err := s.nodes.Peek(nodeSize)
			if err != nil || len(b) < nodeSize || b[4] < sends || b[4] > computes {
				return false, err
			}
		}
		return true, nil
	}
	if first, err := fits(nodeSize); first || err != nil {
		return nodeSize, err
	}
	if second, err := fits(node2Size); second || err != nil {
		return node2Size, err
	}
	return nodeSize, nil // Next will report an error
}

// looked is the maximum number of tasks of a rank that layout inspects.
const looked = 16

// fail returns an error at an offset in the file.
func (s *binaryStream) fail(at int64, what, found, expected string) error {
	return &trace.Error{File: s.graph.file.Path, Offset: at, What: what, Found: found, Expected: expected}
}

// Next implements trace.TaskStream.
func (s *binaryStream) Next(t *trace.Task) error {
	if s.damage != nil {
		return s.damage
	}
	if s.task == s.tasks {
		return s.complete()
	}
	b, err := s.nodes.Peek(nodeSize)
	if err != nil {
		return err
	}
	if len(b) < nodeSize {
		return s.fail(s.nodes.Offset(), fmt.Sprintf("task %d", s.task), "the end of the file", "39 bytes")
	}
	f := fields{
		kind: b[4], peer: binary.LittleEndian.Uint32(b[5:]), size: binary.LittleEndian.Uint64(b[9:]),
		tag: binary.LittleEndian.Uint32(b[17:]), cpu: b[21], nic: b[22],
	}
	if found, expected := f.check(s.graph.ranks); found != "" {
		return s.fail(s.nodes.Offset(), fmt.Sprintf("task %d", s.task), found, expected)
	}
	reset(t)
	f.task(t, s.graph.nics)
	t.Awaits = int64(binary.LittleEndian.Uint32(b))
	ends, starts := b[23:31], b[31:39]
	if t.Before, err = s.successors(t.Before, ends); err != nil {
		return err
	}
	if t.BeforeAt, err = s.successors(t.BeforeAt, starts); err != nil {
		return err
	}
	s.nodes.Skip(int(s.size))
	s.task++
	return nil
}

// successors appends to list the tasks that depend on the current task. where holds their number,
// and the index of the first one in the rank's list of successors.
func (s *binaryStream) successors(list []int64, where []byte) ([]int64, error) {
	n := int64(binary.LittleEndian.Uint32(where))
	if n == 0 {
		return list, nil
	}
	from := int64(binary.LittleEndian.Uint32(where[4:]))
	if from+n > s.edges {
		return list, s.fail(
			s.nodes.Offset(), fmt.Sprintf("task %d: successors", s.task),
			fmt.Sprintf("%d from %d on", n, from), fmt.Sprintf("up to %d", s.edges),
		)
	}
	s.passed += n
	if at := s.list + 4*from; at != s.next.Offset() {
		s.next.Goto(at)
	}
	for n > 0 {
		const most = 1 << 12 // number to read at once
		part := min(n, most)
		b, err := s.next.Peek(int(4 * part))
		if err != nil {
			return list, err
		}
		if int64(len(b)) < 4*part {
			return list, s.fail(
				s.next.Offset(), fmt.Sprintf("task %d: successors", s.task), "the end of the file",
				fmt.Sprintf("%d more", n),
			)
		}
		for i := range part {
			other := binary.LittleEndian.Uint32(b[4*i:])
			if other >= s.tasks {
				return list, s.fail(
					s.next.Offset()+4*i, fmt.Sprintf("task %d: successor", s.task),
					fmt.Sprint(other), fmt.Sprintf("a task below %d", s.tasks),
				)
			}
			list = append(list, int64(other))
		}
		s.next.Skip(int(4 * part))
		n -= part
	}
	return list, nil
}

// complete checks, after the last task, that all successors have been read. It returns io.EOF if
// so, an error otherwise.
func (s *binaryStream) complete() error {
	if s.passed != s.edges {
		return s.fail(
			s.list, "successors", fmt.Sprintf("%d of all tasks", s.passed),
			fmt.Sprintf("%d, for which the rank has room", s.edges),
		)
	}
	return io.EOF
}

// Faults implements trace.TaskStream.
func (s *binaryStream) Faults() trace.Faults { return trace.Faults{} }

// Recorded implements trace.TaskStream. It returns 0, because schedules have no recorded times.
func (s *binaryStream) Recorded() int64 { return 0 }

// Events implements trace.TaskStream.
func (s *binaryStream) Events() int64 { return int64(s.task) }
