// Package files reads forwarding tables and routes from files, and checks them against a network.
package files

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"fabricast/internal/fields"
	"fabricast/topology"
)

// Error reports a wrong word in a file of routes or tables.
type Error struct {
	Line, Column    int // from 1, the column in characters; 0 for the file as a whole
	Width           int // of the word, in characters
	Found, Expected string
}

func (e *Error) Error() string {
	text := "found " + e.Found + ", expected " + e.Expected
	if e.Line > 0 {
		text = fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, text)
	}
	return text
}

// Errors holds the first mistakes of a file, in the order of the file; at least one.
type Errors []*Error

func (es Errors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the mistakes, for errors.As.
func (es Errors) Unwrap() []error {
	list := make([]error, len(es))
	for i, e := range es {
		list[i] = e
	}
	return list
}

// maxFileErrors is the greatest number of mistakes reported for a file.
const maxFileErrors = 10

// AnyVC is the vc of a step that names no virtual channel.
const AnyVC = 0xff

// Step is an output in a file: "3", or "3/1" for port 3 and virtual channel 1.
type Step struct {
	Port uint16
	VC   uint8 // or AnyVC
}

// record is a line of a file: two numbers, then steps. The next line overwrites it.
type record struct {
	a, b  int // b is -1 for "*"
	path  []Step
	words []fields.Word
	line  int
}

// wrong returns an Error for a word of the record. Words 0 and 1 are the numbers, the steps
// follow.
func (r *record) wrong(word int, found, expected string) *Error {
	w := r.words[word]
	return &Error{Line: r.line, Column: w.Column, Width: w.Width(), Found: found, Expected: expected}
}

// form describes the lines of one kind of file.
type form struct {
	line string    // the whole line, for error messages
	ends [2]string // what its two numbers are, for error messages
	star bool      // whether the second may be "*"
	vcs  int
}

// readRecords reads lines of two numbers and at least one step, and calls take with each. It
// ignores empty lines and what follows #. The error is an Errors, or that of the reader.
func readRecords(r io.Reader, f form, take func(*record) *Error) error {
	var wrong Errors
	var rec record
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for rec.line = 1; lines.Scan() && len(wrong) < maxFileErrors; rec.line++ {
		if rec.words = fields.Append(rec.words[:0], lines.Text()); len(rec.words) == 0 {
			continue
		}
		err := f.parse(&rec)
		if err == nil {
			err = take(&rec)
		}
		if err != nil {
			wrong = append(wrong, err)
		}
	}
	if len(wrong) > 0 {
		return wrong
	}
	return lines.Err()
}

// parse fills a record's numbers and steps from its words.
func (f *form) parse(rec *record) *Error {
	if len(rec.words) < 3 {
		return rec.wrong(0, fmt.Sprintf("%d words", len(rec.words)), f.line)
	}
	for i, n := range []*int{&rec.a, &rec.b} {
		text := rec.words[i].Text
		number, err := strconv.Atoi(text)
		switch {
		case i == 1 && f.star && text == "*":
			number = -1
		case err != nil || number < 0:
			return rec.wrong(i, text, f.ends[i])
		}
		*n = number
	}
	rec.path = rec.path[:0]
	for i, word := range rec.words[2:] {
		s, expected := parseStep(word.Text, f.vcs)
		if expected != "" {
			return rec.wrong(2+i, word.Text, expected)
		}
		rec.path = append(rec.path, s)
	}
	return nil
}

// parseStep parses a step such as "3" or "3/1". If the word is no step, expected describes one;
// else it is empty.
func parseStep(word string, vcs int) (s Step, expected string) {
	port, channel, named := strings.Cut(word, "/")
	p, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return s, `the number of a port, perhaps with its virtual channel as "3/1"`
	}
	s = Step{uint16(p), AnyVC}
	if !named {
		return s, ""
	}
	vc, err := strconv.Atoi(channel)
	if err != nil || vc < 0 || vc >= vcs {
		return s, fmt.Sprintf("a virtual channel from 0 to %d", vcs-1)
	}
	s.VC = uint8(vc)
	return s, ""
}

// Follow returns the router at the other end of a local port, -1 if the port leads to no router.
func Follow(g *topology.Graph, router int32, port uint16) int32 {
	p := g.PortBase[router] + int32(port)
	if p >= g.PortBase[router+1] || g.Ports[p].Peer == topology.Unconnected || g.Ports[p].Closed {
		return -1
	}
	return g.Ports[g.Ports[p].Peer].Router
}
