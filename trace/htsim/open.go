package htsim

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"fabricast/trace"
	"fabricast/trace/flows"
)

// name is the name of the format.
const name = "htsim"

// Is reports whether begin is the start of a connection matrix.
func Is(begin []byte) bool {
	for line := range strings.Lines(string(begin)) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0][0] == '#' || headers[words[0]] && words[0] != "Connections":
		default:
			return words[0] == "Connections" && len(words) == 2
		}
	}
	return false
}

// headers are the words that begin the lines of the head.
var headers = map[string]bool{
	"Nodes": true, "Connections": true, "Triggers": true, "Failures": true,
}

// matrix is a connection matrix as it is read.
type matrix struct {
	*flows.Lines
	set      flows.Set
	counts   map[string]int64 // by word of the head: what it gives
	found    map[string]int64 // and what the rest of the file has
	triggers map[int64]*trigger
	ids      []int64          // of set.Triggers
	lines    map[string]int64 // by word of the head: its line
	named    map[int64]int64  // by id of a flow: the line of its first connection
	omitted  map[string]int   // what has no influence, with how often it occurs
}

// trigger is a trigger as it is read.
type trigger struct {
	kind       string // oneshot, multishot or barrier; "" before its line
	count      int64
	line       int64 // that names it first
	starts     []int32
	activators []flows.Event
}

// Open opens a connection matrix. path is its file, or the folder with one .cm file.
func Open(path string) (trace.Graph, error) {
	lines, err := flows.Open(path, "*.cm")
	if err != nil {
		return nil, err
	}
	m := &matrix{
		Lines: lines, counts: map[string]int64{}, found: map[string]int64{},
		triggers: map[int64]*trigger{}, lines: map[string]int64{}, named: map[int64]int64{}, omitted: map[string]int{},
	}
	m.set.Format = name
	for err = m.Next(); err == nil; err = m.Next() {
		if err = m.line(); err != nil {
			return nil, err
		}
	}
	if !errors.Is(err, io.EOF) {
		return nil, err
	}
	if err := m.complete(); err != nil {
		return nil, err
	}
	return flows.New(&m.set), nil
}

// line reads a line.
func (m *matrix) line() error {
	switch first := m.Words[0]; {
	case headers[first]:
		return m.header(first)
	case strings.Contains(first, "->"):
		return m.connection(first)
	case first == "trigger":
		return m.trigger()
	case first == "failure":
		return m.failure()
	default:
		return m.Fail("line", trace.Quoted(first),
			"Nodes, Connections, Triggers, Failures, SRC->DST, trigger or failure")
	}
}

// words calls read for each word after the first of the current line, with the word after it. read
// returns how many of the two it has read. No word may occur twice.
func (m *matrix) words(read func(word, value string) (used int, err error)) error {
	var few [16]string
	seen := few[:0]
	for words := m.Words[1:]; len(words) > 0; {
		word, value := words[0], ""
		if len(words) > 1 {
			value = words[1]
		}
		if slices.Contains(seen, word) {
			return m.Fail(trace.Quoted(word), "it a second time", "it once")
		}
		seen = append(seen, word)
		used, err := read(word, value)
		if err != nil {
			return err
		}
		words = words[min(used, len(words)):]
	}
	return nil
}

// header reads a line of the head: a word and a number.
func (m *matrix) header(word string) error {
	_, twice := m.counts[word]
	if len(m.Words) != 2 || twice || m.set.Ranks > 0 && len(m.found) > 0 {
		return m.Fail(word, trace.Quoted(strings.Join(m.Words, " ")),
			"one line with a number, before the flows")
	}
	least, most := int64(0), int64(flows.MaxFlows)
	if word == "Nodes" {
		least, most = 1, flows.MaxRanks
	}
	n, err := m.Whole(word, m.Words[1], least, most)
	if err != nil {
		return err
	}
	m.lines[word] = m.Number
	if m.counts[word] = n; word == "Nodes" {
		m.set.Ranks = int(n)
	}
	return nil
}

// connection reads a flow.
func (m *matrix) connection(ends string) error {
	if m.set.Ranks == 0 {
		return m.Fail("flow", trace.Quoted(ends), "a line with Nodes before it")
	}
	c := connection{matrix: m}
	if err := c.read(ends); err != nil {
		return err
	}
	m.found["Connections"]++
	if len(m.set.Flows) == flows.MaxFlows {
		return m.Fail("flow", "one more", fmt.Sprintf("at most %d", flows.MaxFlows))
	}
	index := int32(len(m.set.Flows))
	m.set.Flows = append(m.set.Flows, c.Flow)
	for kind, id := range c.ids {
		if id == 0 {
			continue
		}
		t := m.triggerOf(id)
		switch kind {
		case started:
			t.starts = append(t.starts, index)
		default:
			t.activators = append(t.activators, flows.Event{Flow: index, Received: kind == onReceive})
		}
	}
	return nil
}

// triggerOf returns the trigger with an id, which need not have been described.
func (m *matrix) triggerOf(id int64) *trigger {
	t := m.triggers[id]
	if t == nil {
		t = &trigger{line: m.Number}
		m.triggers[id] = t
	}
	return t
}

// omit counts something that has no influence.
func (m *matrix) omit(what string) { m.omitted[what]++ }

// complete checks what the head says against the file, and resolves the triggers.
func (m *matrix) complete() error {
	m.Number = 0
	if m.set.Ranks == 0 {
		return m.Fail("Nodes", "nothing", "a line with the number of hosts")
	}
	for _, word := range []string{"Connections", "Triggers", "Failures"} {
		if m.Number = m.lines[word]; m.counts[word] != m.found[word] {
			return m.Fail(word, fmt.Sprint(m.counts[word]),
				fmt.Sprintf("%d, the number in the file", m.found[word]))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(m.triggers)) {
		if err := m.resolve(id, m.triggers[id]); err != nil {
			return err
		}
	}
	if err := m.circle(); err != nil {
		return err
	}
	for _, what := range slices.Sorted(maps.Keys(m.omitted)) {
		for range m.omitted[what] {
			m.set.Omitted = append(m.set.Omitted, what)
		}
	}
	return nil
}
