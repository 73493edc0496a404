package trace

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Lines reads the lines of a text file as words. Errors name the file, the line and the field.
type Lines struct {
	Path    string
	Number  int64    // of the current line, from 1; 0 before the first
	Words   []string // of the current line
	in      *bufio.Scanner
	longest int
}

// NewLines returns the lines of a file, which have at most so many MiB each.
func NewLines(path string, longest int) *Lines {
	in := bufio.NewScanner(&File{Path: path})
	in.Buffer(make([]byte, 4<<10), longest<<20)
	return &Lines{Path: path, in: in, longest: longest}
}

// Next reads the next line that is neither empty nor a comment after #. It returns io.EOF after the
// last one. Other errors are an *Error or an *input.Error.
func (l *Lines) Next() error {
	for l.in.Scan() {
		l.Number++
		if l.Words = strings.Fields(l.in.Text()); len(l.Words) > 0 && l.Words[0][0] != '#' {
			return nil
		}
	}
	err := l.in.Err()
	switch {
	case errors.Is(err, bufio.ErrTooLong):
		l.Number++
		return l.Fail("line", fmt.Sprintf("more than %d MiB", l.longest), "a shorter one")
	case err != nil:
		return err
	}
	return io.EOF
}

// Fail returns an error at the current line, or of the whole file before the first one.
func (l *Lines) Fail(what, found, expected string) error {
	return &Error{
		File: l.Path, Offset: l.Number, Text: true, What: what, Found: found, Expected: expected,
	}
}

// Quoted returns what was found in a file in quotes, without what is too long for a message, or
// "nothing".
func Quoted(text string) string {
	const most = 60
	switch {
	case text == "":
		return "nothing"
	case len(text) > most:
		text = text[:most] + "..."
	}
	return strconv.Quote(text)
}
