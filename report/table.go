package report

import (
	"strings"
	"unicode/utf8"
)

// Columns is the terminal width, in characters, that all tables fit in.
const Columns = 100

// Maximum widths of a table's columns, in characters. Longer text continues on the next line.
const (
	mostName   = 24
	mostFigure = 36
	columnGap  = 2
)

// table lays out rows of a name, a figure and remarks within 100 columns.
type table struct {
	rows   [][3]string
	indent int // characters taken by other text to the left of the table
}

func (t *table) add(name, figure, remark string) {
	t.rows = append(t.rows, [3]string{name, figure, remark})
}

func (t *table) String() string {
	name, figure := t.widths()
	var b strings.Builder
	for _, r := range t.rows {
		names, figures := wrap(r[0], name), wrap(r[1], figure)
		if r[2] == "" { // without a remark, the figure may exceed its column
			figures = wrap(r[1], Columns-t.indent-name-columnGap)
		}
		remarks := wrap(r[2], Columns-t.indent-name-figure-2*columnGap)
		for i := range max(1, len(names), len(figures), len(remarks)) {
			line := pad(nth(names, i), name+columnGap) +
				pad(nth(figures, i), figure+columnGap) +
				nth(remarks, i)
			b.WriteString(strings.TrimRight(line, " ") + "\n")
		}
	}
	return b.String()
}

// widths returns the widths of the first two columns.
func (t *table) widths() (name, figure int) {
	for _, r := range t.rows {
		name = max(name, utf8.RuneCountInString(r[0]))
		if r[2] != "" {
			figure = max(figure, utf8.RuneCountInString(r[1]))
		}
	}
	return min(name, mostName), min(figure, mostFigure)
}

func nth(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return ""
}

// pad appends blanks to a text up to the given number of characters.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
}

// wrap divides a text into lines of at most width characters, between words if possible.
func wrap(text string, width int) []string {
	var lines []string
	rest := []rune(text)
	for len(rest) > width {
		end, next := width, width
		for i := width; i > 0; i-- {
			if rest[i] == ' ' {
				end, next = i, i+1
				break
			}
		}
		lines = append(lines, string(rest[:end]))
		rest = rest[next:]
	}
	if len(rest) > 0 {
		lines = append(lines, string(rest))
	}
	return lines
}
