package config

import (
	"fmt"
	"strings"
)

// Source is a text that was read: a file, or an assignment on the command line.
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

// Position is a place in a source. The zero Position is nowhere.
type Position struct {
	Source *Source
	Line   int // from 1
	Column int // from 1, in characters
	Width  int // characters the caret underlines
}

// String names the place the way compilers do.
func (p Position) String() string {
	switch {
	case p.Source == nil:
		return ""
	case p.Source.Command:
		return p.Source.Name
	}
	return fmt.Sprintf("%s:%d:%d", p.Source.Name, p.Line, p.Column)
}

// excerpt shows the line with the place underlined.
func (p Position) excerpt() string {
	line := []rune(p.Source.line(p.Line))
	column := min(max(p.Column, 1), len(line)+1)
	margin := fmt.Sprintf("%4d", p.Line)
	if p.Source.Command {
		margin = "    "
	}
	// Tabs stay tabs before the caret, so that it stands under its character.
	indent := []rune(strings.Repeat(" ", column-1))
	for i := range indent {
		if line[i] == '\t' {
			indent[i] = '\t'
		}
	}
	width := min(max(p.Width, 1), max(len(line)-column+1, 1))
	return fmt.Sprintf("%s | %s\n     | %s%s", margin, string(line), string(indent), strings.Repeat("^", width))
}

// Positions tells where the fields of a decoded struct were written, by field
// path such as network.topology.dims[1].
type Positions map[string]Position

// Has tells whether the field was written at all.
func (ps Positions) Has(path string) bool {
	_, ok := ps[path]
	return ok
}

// Locate gives each problem without a position that of its field or, if the
// field was not written, of the nearest field around it that was.
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
