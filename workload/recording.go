package workload

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"fabricast/internal/config"
	"fabricast/internal/units"
)

// recording is a communication pattern that was written down in a file
// (docs/formats/recording.md): its records, by step.
type recording struct {
	path    string
	ranks   int // that it is for
	records []record
}

// puts tells whether some of its messages are puts.
func (r *recording) puts() bool {
	return slices.ContainsFunc(r.records, func(r record) bool { return r.kind == recordPut })
}

// recordKind is what a record is about.
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

// Words in the second field of records that are no transfers.
const (
	barrierWord = "barrier"
	computeWord = "compute"
	headerWord  = "step" // that begins the names of columns
)

// readRecording reads a file for a number of ranks.
func readRecording(path string, ranks int) (*recording, *Problem) {
	text, err := os.ReadFile(path)
	if err != nil {
		var pathError *os.PathError
		if errors.As(err, &pathError) {
			err = pathError.Err
		}
		return nil, &Problem{Param: "file", Found: fmt.Sprintf("%s (%v)", path, err), Expected: "a readable file"}
	}
	// Spreadsheets begin tables with a byte order mark.
	r, problems := parseRecording(&config.Source{Name: path, Text: strings.TrimPrefix(string(text), "\ufeff")}, ranks)
	if len(problems) > 0 {
		return nil, &Problem{Param: "file", Lines: problems}
	}
	return r, nil
}

// parseRecording reads a recording for a number of ranks.
func parseRecording(source *config.Source, ranks int) (*recording, config.Problems) {
	p := recordParser{source: source, ranks: ranks}
	rest := source.Text
	for more := true; more; {
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

// recordParser reads the lines of a recording one by one.
type recordParser struct {
	source   *config.Source
	ranks    int
	number   int    // of the line, from 1
	text     string // of the line
	fields   []field
	records  []record
	problems config.First
}

// field is a part of a line: its text, and the byte at which it begins.
type field struct {
	text string
	at   int
}

// line takes one line.
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

// split cuts the line at its commas or, if it has none, at its blanks.
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

// record takes a line that is neither empty nor the names of columns.
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
		p.fail(p.all(), "record", p.all().text,
			"a step, two ranks and a size, such as 0,3,5,4096; or a step and barrier; or a step, compute, a rank and a time")
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

// transfer is the kind of a message by its name; without one it is sent.
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

// maxStep bounds the numbers of steps.
const maxStep = 1 << 53

// append adds a record, if it follows those before it.
func (p *recordParser) append(r record) {
	if n := len(p.records); n > 0 {
		last := &p.records[n-1]
		switch {
		case r.step < last.step:
			p.fail(p.fields[0], "step", p.fields[0].text, fmt.Sprintf("%d or more, since that was the step before", last.step))
			return
		case r.step == last.step && (r.kind == recordBarrier || last.kind == recordBarrier):
			p.fail(p.fields[0], "step", p.fields[0].text, "a barrier in a step of its own")
			return
		}
	}
	p.records = append(p.records, r)
}

// width is the number of fields, without empty ones at the end of the line.
func (p *recordParser) width() int {
	n := len(p.fields)
	for n > 0 && p.fields[n-1].text == "" {
		n--
	}
	return n
}

// word is the text of a field, "" if there is none.
func (p *recordParser) word(i int) string {
	if i < len(p.fields) {
		return p.fields[i].text
	}
	return ""
}

// all is the whole line.
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

// fail notes what is wrong with a field of the line.
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
