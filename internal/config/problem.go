package config

import (
	"slices"
	"strings"
)

// Problem is one mistake in a configuration.
type Problem struct {
	Position Position // zero when the configuration did not come from a text
	Field    string   // path of the field, such as network.link.bandwidth
	Found    string   // what was there
	Expected string   // what would have been right
	Hint     string   // how to mend it; may be empty
}

// String is the problem in one line, with the source line below it if there is one.
func (p Problem) String() string {
	var b strings.Builder
	for _, part := range []string{p.Position.String(), p.Field} {
		if part != "" {
			b.WriteString(part + ": ")
		}
	}
	b.WriteString("found " + p.Found + ", expected " + p.Expected)
	if p.Hint != "" {
		b.WriteString(" (" + p.Hint + ")")
	}
	if p.Position.Source != nil {
		b.WriteString("\n" + p.Position.excerpt())
	}
	return b.String()
}

// Problems are all mistakes found in a configuration; an error when not empty.
type Problems []Problem

func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// OrNil returns the problems in the order of the text as an error, nil if there are none.
func (ps Problems) OrNil() error {
	if len(ps) == 0 {
		return nil
	}
	slices.SortStableFunc(ps, func(a, b Problem) int {
		if a.Position.Source != b.Position.Source {
			return 0
		}
		if a.Position.Line != b.Position.Line {
			return a.Position.Line - b.Position.Line
		}
		return a.Position.Column - b.Position.Column
	})
	return ps
}
