package config

import (
	"fmt"
	"slices"
	"strings"

	"fabricast/internal/printable"
)

// Source is the text of a file or of a command-line assignment.
type Source struct {
	Name    string
	Text    string
	Command bool // an assignment on the command line, which has no line numbers
}

// line returns the given line (from 1) without its end.
func (s *Source) line(n int) string {
	rest := s.Text
	for ; n > 1; n-- {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	line, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSuffix(line, "\r")
}

// Position is a position in a source. The zero Position means that it is unknown.
type Position struct {
	Source *Source
	Line   int // from 1
	Column int // from 1, in characters
	Width  int // characters to underline
}

// String formats the position as compilers do: file:line:column.
func (p Position) String() string {
	switch {
	case p.Source == nil:
		return ""
	case p.Source.Command:
		return p.Source.Name
	}
	return fmt.Sprintf("%s:%d:%d", p.Source.Name, p.Line, p.Column)
}

// excerpt returns the line with the position underlined.
func (p Position) excerpt() string {
	line := []rune(printable.InPlace(p.Source.line(p.Line)))
	line, column := window(line, min(max(p.Column, 1), len(line)+1))
	margin := fmt.Sprintf("%4d", p.Line)
	if p.Source.Command {
		margin = "    "
	}
	// tabs before the caret stay tabs, so that it is under its character
	indent := []rune(strings.Repeat(" ", column-1))
	for i := range indent {
		if line[i] == '\t' {
			indent[i] = '\t'
		}
	}
	width := min(max(p.Width, 1), max(len(line)-column+1, 1))
	return fmt.Sprintf(
		"%s | %s\n     | %s%s",
		margin, string(line), string(indent), strings.Repeat("^", width),
	)
}

// Limits of an excerpt: the number of characters of a line that it shows, and how many of them
// precede the position.
const (
	shown  = 400
	before = 100
)

// window returns the part of a long line around a column, and the column within that part.
func window(line []rune, column int) ([]rune, int) {
	const cut = "..."
	if from := column - 1 - before; len(line) > shown && from > 0 {
		line = append([]rune(cut), line[from:]...)
		column -= from - len(cut)
	}
	if len(line) > shown {
		line = append(slices.Clone(line[:shown]), []rune(cut)...)
	}
	return line, column
}

// Positions holds the positions of the fields of a decoded struct, by field path such as
// network.topology.dims[1].
type Positions map[string]Position

// Has reports whether the field is present in the source.
func (ps Positions) Has(path string) bool {
	_, ok := ps[path]
	return ok
}

// Source returns the source of the first of the fields that is present. If none is, it returns the
// source of the nearest field that encloses the first one; nil if there is none.
func (ps Positions) Source(fields ...string) *Source {
	for _, path := range fields {
		if at, ok := ps[path]; ok {
			return at.Source
		}
	}
	return ps.nearest(fields[0]).Source
}

// Locate sets the position of each problem that has none: that of its field or, if the field is not
// present, of the nearest field that encloses it.
func (ps Positions) Locate(problems Problems) {
	for i := range problems {
		if problems[i].Position.Source == nil {
			problems[i].Position = ps.nearest(problems[i].Field)
		}
	}
}

func (ps Positions) nearest(path string) Position {
	for {
		if at, ok := ps[path]; ok {
			return at
		}
		if path == "" {
			return Position{}
		}
		path = path[:max(strings.LastIndexAny(path, ".["), 0)]
	}
}
