package allprof

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"fabricast/trace"
)

// line reads the lines of a rank's file and parses the fields of the current line.
type line struct {
	file   string
	lines  *bufio.Scanner
	number int64
	fields [][]byte // fields of the current line; valid until the next line is read
}

// longest is the maximum length of a line in bytes. It is enough for a call with element counts for
// a million ranks.
const longest = 64 << 20

func newLine(path string) *line {
	s := bufio.NewScanner(&trace.File{Path: path})
	s.Buffer(make([]byte, 8<<10), longest)
	s.Split(whole)
	return &line{file: path, lines: s}
}

// whole is a bufio.SplitFunc like bufio.ScanLines, but it keeps the newline of each line, so that a
// truncated last line can be detected.
func whole(data []byte, end bool) (int, []byte, error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i+1], nil
	}
	if end && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

// next reads the next line that contains a call. It returns io.EOF after the last line.
func (l *line) next() error {
	for l.lines.Scan() {
		l.number++
		text := l.lines.Bytes()
		cut := text[len(text)-1] != '\n'
		if i := bytes.IndexByte(text, '#'); i >= 0 {
			text = text[:i] // a comment, or a backtrace
		}
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		l.fields = l.fields[:0]
		for {
			field, rest, more := bytes.Cut(text, []byte(":"))
			l.fields = append(l.fields, bytes.TrimSpace(field))
			if text = rest; !more {
				break
			}
		}
		if cut {
			return l.fail("line", string(l.fields[0])+" without an end of the line", "a line that is whole")
		}
		return nil
	}
	if err := l.lines.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			l.number++
			l.fields = l.fields[:0]
			return l.fail("line", "more than 64 MiB", "a call")
		}
		return err
	}
	return io.EOF
}

// fail returns an error at the current line.
func (l *line) fail(what, found, expected string) error {
	if len(l.fields) > 0 && what != "line" && what != "call" {
		what = string(l.fields[0]) + ": " + what
	}
	return &trace.Error{
		File:     l.file,
		Offset:   l.number,
		Text:     true,
		What:     what,
		Found:    trace.Quoted(found),
		Expected: expected,
	}
}

// part returns the n-th comma-separated part, from 0, of field i. what is the name of the field in
// error messages.
func (l *line) part(i, n int, what string) ([]byte, error) {
	if i >= len(l.fields) {
		return nil, l.fail(what, "the end of the line", "one more field")
	}
	field := l.fields[i]
	for ; n > 0; n-- {
		_, rest, more := bytes.Cut(field, []byte(","))
		if !more {
			return nil, l.fail(what, string(l.fields[i]), "numbers with commas between them")
		}
		field = rest
	}
	part, _, _ := bytes.Cut(field, []byte(","))
	return bytes.TrimSpace(part), nil
}

// int parses the n-th comma-separated part of field i as an integer.
func (l *line) int(i, n int, what string) (int64, error) {
	b, err := l.part(i, n, what)
	if err != nil {
		return 0, err
	}
	v, ok := number(b)
	if !ok {
		return 0, l.fail(what, string(b), "a whole number")
	}
	return v, nil
}

// address parses field i as the address of a request.
func (l *line) address(i int) (uint64, error) {
	v, err := l.int(i, 0, "request")
	return uint64(v), err
}

// number parses a decimal integer of at most 18 digits.
func number(b []byte) (v int64, ok bool) {
	negative := len(b) > 0 && b[0] == '-'
	if negative {
		b = b[1:]
	}
	const digits = 18 // always fit in 64 bits
	if len(b) == 0 || len(b) > digits {
		return 0, false
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		v = 10*v + int64(c-'0')
	}
	if negative {
		v = -v
	}
	return v, true
}

// unknown is a time that was not recorded, because MPI was not yet or no longer initialized.
const unknown = -1

// time parses field i, in microseconds, and returns it in ns. The field "-" means unknown.
func (l *line) time(i int) (int64, error) {
	b := l.fields[i]
	if len(b) == 1 && b[0] == '-' {
		return unknown, nil
	}
	whole, fraction, _ := bytes.Cut(b, []byte("."))
	us, ok := number(whole)
	const most = 1 << 52 // µs
	if !ok || us < 0 || us > most {
		return 0, l.fail("time", string(b), "microseconds")
	}
	ns := 1000 * us
	for d, unit := 0, int64(100); d < len(fraction) && unit > 0; d, unit = d+1, unit/10 {
		c := fraction[d]
		if c < '0' || c > '9' {
			return 0, l.fail("time", string(b), "microseconds")
		}
		ns += unit * int64(c-'0')
	}
	return ns, nil
}
