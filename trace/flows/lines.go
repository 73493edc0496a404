package flows

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"path/filepath"
	"strconv"
	"strings"

	"fabricast/internal/input"
	"fabricast/trace"
)

// Lines reads the lines of a flow file. Errors name the file, the line and the field.
type Lines struct {
	Path   string
	Number int      // of the current line, from 1
	Words  []string // of the current line
	file   io.Closer
	reader *bufio.Scanner
}

// longest is the number of bytes of a line at most.
const longest = 1 << 20

// Open opens a flow file. In a folder it is the only file whose name matches the pattern.
func Open(path, pattern string) (*Lines, error) {
	info, err := input.About(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		if path, err = only(path, pattern); err != nil {
			return nil, err
		}
	}
	file, _, err := input.Open(path, input.Trace)
	if err != nil {
		return nil, err
	}
	l := &Lines{Path: path, file: file, reader: bufio.NewScanner(file)}
	l.reader.Buffer(nil, longest)
	return l, nil
}

// only returns the path of the only file in a folder whose name matches a pattern.
func only(folder, pattern string) (string, error) {
	entries, err := trace.Files(folder)
	if err != nil {
		return "", err
	}
	var found []string
	for _, e := range entries {
		if match, _ := filepath.Match(pattern, e.Name()); match {
			found = append(found, e.Name())
		}
	}
	if len(found) != 1 {
		return "", &trace.Error{
			File: folder, What: "flow file", Found: strings.Join(append(found, "no other"), ", "),
			Expected: "one file with a name like " + pattern,
		}
	}
	return filepath.Join(folder, found[0]), nil
}

// Close closes the file.
func (l *Lines) Close() { _ = l.file.Close() }

// Next reads the next line that is neither empty nor a comment after #. It returns io.EOF after the
// last one.
func (l *Lines) Next() error {
	for l.reader.Scan() {
		l.Number++
		text := l.reader.Text()
		if l.Words = strings.Fields(text); len(l.Words) > 0 && l.Words[0][0] != '#' {
			return nil
		}
	}
	err := l.reader.Err()
	switch {
	case errors.Is(err, bufio.ErrTooLong):
		l.Number++
		return l.Fail("line", "more than 1 MiB", "a shorter one")
	case err != nil:
		return &trace.Error{File: l.Path, What: "file", Found: err.Error(), Expected: "a readable file"}
	}
	return io.EOF
}

// Fail returns an error at the current line.
func (l *Lines) Fail(what, found, expected string) error {
	return &trace.Error{
		File: l.Path, Offset: int64(max(l.Number, 1)), Text: true, What: what, Found: found, Expected: expected,
	}
}

// Whole parses an integer from least to most. what is the name of its field.
func (l *Lines) Whole(what, text string, least, most int64) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		return 0, l.Fail(what, found(text), fmt.Sprintf("a whole number from %d to %d", least, most))
	}
	return n, nil
}

// Time parses a time in units of the given number of ps, and rounds it to ps. what is the name of
// its field.
func (l *Lines) Time(what, text string, unit int64) (int64, error) {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || !(value >= 0) || value*float64(unit) > MaxTime || len(text) > 64 ||
		strings.ContainsAny(text, "xX_") {
		return 0, l.Fail(what, found(text), fmt.Sprintf("a time from 0 to %d", int64(MaxTime)/unit))
	}
	if exact, ok := new(big.Rat), false; !strings.ContainsAny(text, "eE") {
		if exact, ok = exact.SetString(text); ok {
			exact.Mul(exact, big.NewRat(unit, 1)).Add(exact, big.NewRat(1, 2))
			return new(big.Int).Quo(exact.Num(), exact.Denom()).Int64(), nil
		}
	}
	return int64(math.Round(value * float64(unit))), nil
}

// found describes what was found in the place of a value.
func found(text string) string {
	if text == "" {
		return "nothing"
	}
	return strconv.Quote(text)
}
