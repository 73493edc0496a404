package workload

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"fabricast/internal/config"
	"fabricast/internal/input"
	"fabricast/internal/units"
)

// recording is a communication pattern read from a file (see docs/formats/recording.md), as records
// in ascending order of steps.
type recording struct {
	path    string
	ranks   int // number of ranks for which it was parsed
	records []record
}

// puts reports whether any message is a put.
func (r *recording) puts() bool {
	return slices.ContainsFunc(r.records, func(r record) bool { return r.kind == recordPut })
}

// recordKind is the kind of a record.
type recordKind uint8

const (
	recordSend recordKind = iota
	recordPut
	recordCompute
	recordBarrier
)

// record is a line of a recording.
type record struct {
	step int64
	kind recordKind
	from int32 // the rank that sends or computes
	to   int32 // the rank that receives
	n    int64 // bytes of a message, or ps of computation
}

// Words in the second field of a line that identify barriers and computations, and the first word
// of a header line.
const (
	barrierWord = "barrier"
	computeWord = "compute"
	headerWord  = "step" // first column name, which identifies a header line
)

// readRecording reads a recording for the given number of ranks.
func readRecording(path string, ranks int) (*recording, *Problem) {
	text, all, err := input.FirstLines(path, input.Recording)
	if err != nil {
		return nil, unread(err)
	}
	r, problems := parsed(path, text, ranks)
	if !all && len(problems) == 0 {
		if text, err = input.Text(path, input.Recording); err != nil {
			return nil, unread(err)
		}
		r, problems = parsed(path, text, ranks)
	}
	if len(problems) > 0 {
		return nil, &Problem{Param: "file", Lines: problems}
	}
	return r, nil
}

// parsed parses the text of a recording. It ignores a byte order mark at the start, which
// spreadsheet programs write.
func parsed(path, text string, ranks int) (*recording, config.Problems) {
	return parseRecording(&config.Source{Name: path, Text: strings.TrimPrefix(text, "\ufeff")}, ranks)
}

// unread returns a problem for a file that could not be read.
func unread(err error) *Problem {
	var file *input.Error
	if errors.As(err, &file) {
		return &Problem{Param: "file", Found: file.Where(), Expected: file.Expected}
	}
	return &Problem{Param: "file", Found: err.Error(), Expected: "a readable file"}
}

// parseRecording parses the text of a recording for the given number of ranks.
func parseRecording(source *config.Source, ranks int) (*recording, config.Problems) {
	p := recordParser{source: source, ranks: ranks}
	rest := source.Text
	for more := true; more && !p.problems.Enough(); {
		var line string
		line, rest, more = strings.Cut(rest, "\n")
		p.number++
		p.line(line)
	}
	if len(p.records) == 0 && p.problems.Count() == 0 {
		p.number = 1
		p.fail(field{}, "record", "none", "at least one, such as 0,3,5,4096")
	}
	return &recording{source.Name, ranks, p.records}, p.problems.Problems()
}

// recordParser parses the lines of a recording one by one.
type recordParser struct {
	source   *config.Source
	ranks    int
	number   int    // number of the line, starting at 1
	text     string // text of the line
	fields   []field
	records  []record
	problems config.First
}

// field is a field of a line: its text and its byte offset in the line.
type field struct {
	text string
	at   int
}

// line parses a line.
func (p *recordParser) line(text string) {
	p.text, _, _ = strings.Cut(strings.TrimSuffix(text, "\r"), "#")
	p.split()
	switch {
	case len(p.fields) == 0:
	case p.fields[0].text == headerWord && len(p.records) == 0:
	default:
		p.record()
	}
}

// split splits the current line at commas or, if it has none, at spaces and tabs.
func (p *recordParser) split() {
	p.fields = p.fields[:0]
	const blank = " \t"
	if strings.TrimLeft(p.text, blank) == "" {
		return
	}
	comma := strings.Contains(p.text, ",")
	for at := 0; at <= len(p.text); {
		at += len(p.text[at:]) - len(strings.TrimLeft(p.text[at:], blank))
		ends := blank
		if comma {
			ends = ","
		}
		end := strings.IndexAny(p.text[at:], ends)
		if end < 0 {
			end = len(p.text) - at
		}
		text := strings.TrimRight(p.text[at:at+end], blank)
		if text == "" && !comma {
			return
		}
		p.fields = append(p.fields, field{text, at})
		at += end + 1
	}
}

// record parses a line that is neither empty nor a header line.
func (p *recordParser) record() {
	before := p.problems.Count()
	r, least, most := record{}, 4, 5
	switch p.word(1) {
	case barrierWord:
		r.kind, least, most = recordBarrier, 2, 2
	case computeWord:
		r.kind, most = recordCompute, 4
	}
	if n := p.width(); n < least || n > most {
		p.fail(
			p.all(), "record", p.all().text,
			"a step, two ranks and a size, such as 0,3,5,4096; or a step and barrier; or a step, "+
				"compute, a rank and a time",
		)
		return
	}
	r.step = p.integer(0, "step", 0, maxStep)
	switch r.kind {
	case recordSend:
		r.from, r.to = p.rank(1, "source"), p.rank(2, "destination")
		r.n = p.integer(3, "bytes", 0, maxSize)
		r.kind = p.transfer(p.word(4))
	case recordCompute:
		r.from, r.n = p.rank(2, "rank"), p.time(3)
	}
	if p.problems.Count() == before {
		p.append(r)
	}
}

// transfer returns the kind of a message with the given name, "put" or "send". If the name is
// missing, it is a send.
func (p *recordParser) transfer(name string) recordKind {
	switch name {
	case ByPut:
		return recordPut
	case "", BySend:
	default:
		p.fail(p.fields[4], "kind", name, oneOf([]string{BySend, ByPut}))
	}
	return recordSend
}

func (p *recordParser) time(i int) int64 {
	f := p.fields[i]
	if f.text == "0" {
		return 0
	}
	d, err := units.ParseTime(f.text)
	if err != nil || d < 0 || d > maxCompute {
		p.fail(f, "time", f.text, "a time such as 250us")
		return 0
	}
	return int64(d)
}

// maxStep is the maximum step of a record.
const maxStep = 1 << 53

// append adds a record. It reports a problem if its step is lower than that of the previous record.
func (p *recordParser) append(r record) {
	if n := len(p.records); n > 0 {
		last := &p.records[n-1]
		switch {
		case r.step < last.step:
			p.fail(
				p.fields[0], "step", p.fields[0].text,
				fmt.Sprintf("%d or more, since that was the step before", last.step),
			)
			return
		case r.step == last.step && (r.kind == recordBarrier || last.kind == recordBarrier):
			p.fail(p.fields[0], "step", p.fields[0].text, "a barrier in a step of its own")
			return
		}
	}
	p.records = append(p.records, r)
}

// width returns the number of fields, excluding empty ones at the end of the line.
func (p *recordParser) width() int {
	n := len(p.fields)
	for n > 0 && p.fields[n-1].text == "" {
		n--
	}
	return n
}

// word returns the text of field i, or "" if there is none.
func (p *recordParser) word(i int) string {
	if i < len(p.fields) {
		return p.fields[i].text
	}
	return ""
}

// all returns the whole line as one field.
func (p *recordParser) all() field {
	text := strings.TrimSpace(p.text)
	return field{text, strings.Index(p.text, text)}
}

func (p *recordParser) rank(i int, name string) int32 {
	return int32(p.integer(i, name, 0, int64(p.ranks)-1))
}

func (p *recordParser) integer(i int, name string, low, high int64) int64 {
	f := p.fields[i]
	n, err := strconv.ParseInt(f.text, 10, 64)
	if err != nil || n < low || n > high {
		p.fail(f, name, f.text, fmt.Sprintf("a whole number from %d to %d", low, high))
		return 0
	}
	return n
}

// fail reports a problem with a field of the current line.
func (p *recordParser) fail(f field, name, found, expected string) {
	if found == "" {
		found = "nothing"
	}
	p.problems.Add(config.Problem{
		Position: config.Position{
			Source: p.source, Line: p.number,
			Column: 1 + utf8.RuneCountInString(p.text[:f.at]), Width: utf8.RuneCountInString(f.text),
		},
		Field: name, Found: found, Expected: expected,
	})
}
