package goal

import (
	"fmt"
	"io"

	"fabricast/trace"
)

// textGraph is an opened schedule in text form.
type textGraph struct {
	file   *trace.Shared
	blocks []block // by rank
	nics   bool    // more than one NIC is used
}

// block is a GOAL block: the part of the text between the braces of a rank.
type block struct {
	offset, line int64 // position after the opening brace; offset is 0 if the rank has no GOAL block
	// reach is the maximum, over all tasks, of the number of tasks between a task and its last
	// "requires" or "irequires" statement. A stream must store this number of tasks.
	reach int64
}

// maxRanks is the maximum number of ranks of a schedule.
const maxRanks = 1 << 26

// openText opens a schedule in text form. It reads the whole text to find the GOAL block of each
// rank. Errors within a block are reported when a stream reads the block again.
func openText(file *trace.Shared) (trace.Graph, error) {
	l := &lexer{window: file.Window(0)}
	if err := l.want("num_ranks"); err != nil {
		return nil, err
	}
	ranks, err := l.number("the number of ranks", 1, maxRanks)
	if err != nil {
		return nil, err
	}
	size, err := l.window.Size()
	if err != nil {
		return nil, err
	}
	const least = 10 // size of an empty GOAL block, in bytes
	if ranks > max(1, size/least) {
		return nil, &trace.Error{
			File:     file.Path,
			Offset:   l.line + 1,
			Text:     true,
			What:     "num_ranks",
			Found:    fmt.Sprint(ranks),
			Expected: fmt.Sprintf("no more than %d bytes can hold", size),
		}
	}
	g := &textGraph{file: file, blocks: make([]block, ranks)}
	for {
		t, err := l.next()
		if err != nil {
			return nil, err
		}
		if t.kind == end {
			return g, nil
		}
		if err := g.find(l, &t); err != nil {
			return nil, err
		}
	}
}

// find reads the GOAL block of a rank, whose first token is t.
func (g *textGraph) find(l *lexer, t *token) error {
	if !t.is("rank") {
		return l.fail(t, "rank")
	}
	rank, err := l.number("a rank", 0, int64(len(g.blocks))-1)
	if err != nil {
		return err
	}
	brace, err := l.next()
	if err != nil {
		return err
	}
	if !brace.is("{") {
		return l.fail(&brace, "{")
	}
	b := &g.blocks[rank]
	if b.offset != 0 {
		return l.fail(t, fmt.Sprintf("rank %d only once", rank))
	}
	b.offset, b.line = l.offset(), l.line
	g.measure(l, b)
	return nil
}

// measure reads the GOAL block b, up to its end or its first error, and sets b.reach.
func (g *textGraph) measure(l *lexer, b *block) {
	var s statement
	var names labels
	for tasks := int64(0); ; {
		err := s.read(l)
		if err != nil {
			resume(l)
			return
		}
		switch s.kind {
		case closing:
			return
		case task:
			g.nics = g.nics || s.nic > 0
			if len(s.label) > 0 {
				names.add(s.label, tasks)
			}
			tasks++
		default:
			if waiting, found := names.find(s.label); found {
				b.reach = max(b.reach, tasks-1-waiting)
			}
		}
	}
}

// resume skips the rest of a GOAL block with an error, up to the next rank.
func resume(l *lexer) {
	for {
		if t, err := l.peek(); err == nil && (t.kind == end || t.is("rank")) {
			return
		}
		if _, err := l.next(); err != nil {
			if len(l.data) == 0 {
				return
			}
			l.data = l.data[1:]
		}
	}
}

// Format implements trace.Trace.
func (g *textGraph) Format() string { return "GOAL" }

// Ranks implements trace.Trace.
func (g *textGraph) Ranks() int { return len(g.blocks) }

// Groups implements trace.Trace: all communication is in the world.
func (g *textGraph) Groups() [][]int32 { return [][]int32{nil} }

// shortText is the size of the longest text (bytes) whose tasks fit into memory. A task takes up to
// five times as much memory as its text.
const shortText = 128 << 20

// Short implements trace.Short.
func (g *textGraph) Short() bool {
	size, err := g.file.Size()
	return err == nil && size <= shortText && g.file.Held()
}

// OpenTasks implements trace.Graph.
func (g *textGraph) OpenTasks(rank int) (trace.TaskStream, error) {
	b := g.blocks[rank]
	s := &textStream{
		graph: g,
		reach: b.reach,
		lexer: lexer{window: g.file.Window(trace.Chunk(len(g.blocks)))},
	}
	s.lexer.restart(b.offset, b.line)
	if b.offset == 0 {
		s.ended = &trace.Error{
			File:     g.file.Path,
			Text:     true,
			What:     "schedule",
			Found:    fmt.Sprintf("no tasks of rank %d", rank),
			Expected: fmt.Sprintf("those of %d ranks", len(g.blocks)),
		}
	}
	return s, nil
}

// textStream reads the tasks of a rank. A task waits in a queue until block.reach guarantees that
// all its dependencies have been read.
type textStream struct {
	graph     *textGraph
	lexer     lexer
	statement statement
	labels    labels
	reach     int64
	queue     []trace.Task // a ring buffer: task n is at n modulo the length, a power of 2
	first     int64        // index of the first task in the queue
	tasks     int64        // number of tasks that have been read
	ended     error        // why no more tasks can be read: io.EOF, or an error in the text
}

// Next implements trace.TaskStream.
func (s *textStream) Next(t *trace.Task) error {
	for s.ended == nil && s.tasks-1-s.first <= s.reach {
		s.ended = s.read()
	}
	if s.first == s.tasks {
		return s.ended
	}
	from := s.at(s.first)
	after, started := append(t.After[:0], from.After...), append(t.Started[:0], from.Started...)
	reset(t)
	t.Kind, t.Lane, t.Duration, t.Message, t.NIC = from.Kind, from.Lane, from.Duration, from.Message, from.NIC
	t.After, t.Started = after, started
	s.first++
	return nil
}

// at returns task n, which must be in the queue.
func (s *textStream) at(n int64) *trace.Task { return &s.queue[n&int64(len(s.queue)-1)] }

// read parses the next statement, and adds a task to the queue or a dependency to a task in it.
func (s *textStream) read() error {
	q := &s.statement
	if err := q.read(&s.lexer); err != nil {
		return err
	}
	switch q.kind {
	case closing:
		return io.EOF
	case task:
		return s.add(q)
	}
	waiting, found := s.labels.find(q.label)
	if !found {
		return s.lexer.misses(q.line, q.label)
	}
	other, found := s.labels.find(q.other)
	if !found {
		return s.lexer.misses(q.line, q.other)
	}
	t := s.at(waiting)
	if q.kind == requires {
		t.After = append(t.After, other)
	} else {
		t.Started = append(t.Started, other)
	}
	return nil
}

// add adds the task in statement q to the queue.
func (s *textStream) add(q *statement) error {
	if found, expected := q.check(len(s.graph.blocks)); found != "" {
		t := token{kind: word, text: []byte(found), line: q.line}
		return s.lexer.fail(&t, expected)
	}
	if n := int64(len(s.queue)); s.tasks-s.first == n {
		larger := make([]trace.Task, max(4, 2*n))
		for i := s.first; i < s.tasks; i++ {
			larger[i&int64(len(larger)-1)] = *s.at(i)
		}
		s.queue = larger
	}
	t := s.at(s.tasks)
	reset(t)
	q.task(t, s.graph.nics)
	if len(q.label) > 0 {
		s.labels.add(q.label, s.tasks)
	}
	s.tasks++
	return nil
}

// Faults implements trace.TaskStream.
func (s *textStream) Faults() trace.Faults { return trace.Faults{} }

// Recorded implements trace.TaskStream. It returns 0, because schedules have no recorded times.
func (s *textStream) Recorded() int64 { return 0 }

// Events implements trace.TaskStream.
func (s *textStream) Events() int64 { return s.tasks }
