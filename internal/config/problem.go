package config

import (
	"fmt"
	"slices"
	"strings"

	"fabricast/internal/humanize"
)

// Problem is one mistake in a configuration.
type Problem struct {
	Position Position // zero if the configuration does not come from a text
	Field    string   // path of the field, such as network.link.bandwidth
	Found    string   // the value found
	Expected string   // what is valid instead
	Hint     string   // how to correct it; may be empty
}

// String formats the problem in one line, followed by the source line if there is one.
func (p Problem) String() string {
	var b strings.Builder
	for _, part := range []string{p.Position.String(), p.Field} {
		if part != "" {
			b.WriteString(clipped(part) + ": ")
		}
	}
	b.WriteString("found " + clipped(p.Found) + ", expected " + p.Expected)
	if p.Hint != "" {
		b.WriteString(" (" + p.Hint + ")")
	}
	if p.Position.Source != nil && strings.TrimSpace(p.Position.Source.line(p.Position.Line)) != "" {
		b.WriteString("\n" + p.Position.excerpt())
	}
	return b.String()
}

// clip is the number of characters of a file's content that a message shows.
const clip = 300

// clipped returns the start of a text that may be very long.
func clipped(text string) string {
	if len(text) <= clip {
		return text
	}
	runes := []rune(text)
	if len(runes) <= clip {
		return text
	}
	return fmt.Sprintf("%s... (%s characters)", string(runes[:clip]), humanize.Count(len(runes)))
}

// Problems holds all mistakes found in a configuration. It is an error if it is not empty.
type Problems []Problem

func (ps Problems) Error() string {
	told := ps[:min(len(ps), MostProblems)]
	lines := make([]string, len(told))
	for i, p := range told {
		lines[i] = p.String()
	}
	if more := len(ps) - len(told); more > 0 {
		lines = append(lines, fmt.Sprintf("and %s", humanize.Plural(more, "more mistake")))
	}
	return strings.Join(lines, "\n")
}

// OrNil sorts the problems by their positions and returns them as an error; nil if there are none.
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

// Touch reports whether one of the problems concerns a field, a part of it, or a mapping that
// contains it.
func (ps Problems) Touch(field string) bool {
	return slices.ContainsFunc(
		ps, func(p Problem) bool { return within(p.Field, field) || within(field, p.Field) },
	)
}

// within reports whether a field is the field `whole` or a part of it.
func within(field, whole string) bool {
	rest, ok := strings.CutPrefix(field, whole)
	return ok && (whole == "" || rest == "" || rest[0] == '.' || rest[0] == '[')
}

// unknownField is the prefix of Found for a field that does not exist.
const unknownField = "unknown field "

// Unknown reports whether the problem is an unknown field.
func (p *Problem) Unknown() bool { return strings.HasPrefix(p.Found, unknownField) }
