package libraries

import (
	"fmt"
	"strings"

	"fabricast/collective"
	"fabricast/collective/tables"
	"fabricast/internal/config"
	"fabricast/internal/pattern"
)

// Converted is a file of any format, as the lines of a table of package tables.
type Converted struct {
	Format string // name of the format
	Lines  string
	Notes  []string // what has no counterpart here, and what stands for it
}

// Read reads a file of any of the formats, which it finds out from the text. name is the name of the
// file for messages. The error is a config.Problems.
func Read(name, text string) (*tables.Table, error) {
	c, err := Convert(name, text)
	if err != nil {
		return nil, err
	}
	if c.Format == formats[0].Name {
		return tables.Read(name, strings.NewReader(text)) // with its own lines in messages
	}
	return tables.Read(name, strings.NewReader(c.Lines))
}

// Convert converts a file of any of the formats to the lines of a table. The error is a
// config.Problems.
func Convert(name, text string) (*Converted, error) {
	format := detect(text)
	c := &Converted{Format: format}
	if format == formats[0].Name {
		c.Lines = text
		return c, nil
	}
	r := &reader{source: &config.Source{Name: name, Text: text}}
	read := map[string]func(*reader) error{
		"openmpi": readOpenMPI, "openmpi-6": readOpenMPIJSON, "mpich": readMPICH, "nccl": readNCCL,
	}[format]
	if err := read(r); err != nil {
		return nil, err
	}
	if r.cited > mostCited {
		return nil, problem(r.source, 1, text, "too many rules that ask for the library's own", "fewer of them")
	}
	c.Lines, c.Notes = r.lines.String(), r.notes
	return c, nil
}

// csvLine matches a line of NCCL's tuner: eight to ten fields.
var csvLine = pattern.Lazy(`^[^,\s][^,]*(,[^,]*){7,9}$`)

// detect returns the name of the format of a text. A text that is of no other is a table.
func detect(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, strings.TrimSpace(ncclHeader)):
			return "nccl"
		case line == "" || strings.HasPrefix(line, "#"):
			continue
		case strings.HasPrefix(line, "{"):
			if strings.Contains(text, `"collectives"`) {
				return "openmpi-6"
			}
			return "mpich"
		case strings.HasPrefix(line, "rule-file-version-"), line[0] >= '0' && line[0] <= '9':
			return "openmpi"
		case csvLine().MatchString(line):
			return "nccl"
		}
		break
	}
	return formats[0].Name
}

// reader collects the lines of a table, and notes.
type reader struct {
	source *config.Source
	lines  writer
	notes  []string
	told   map[string]bool
	cited  int // lines taken from built-in tables
}

// add adds a rule.
func (r *reader) add(kind collective.Kind, a collective.Algorithm, conditions ...string) {
	r.lines.printf("%s\n", line(kind, a, conditions...))
}

// mostCited is the largest number of lines of built-in tables in one table. A file that asks for more
// has absurdly many rules.
const mostCited = 1 << 16

// ownRules adds the rules of a built-in table for a collective, under further conditions.
func (r *reader) ownRules(table string, kind collective.Kind, conditions []string) {
	for _, own := range rulesOf(table, kind) {
		if r.cited++; r.cited > mostCited {
			return
		}
		r.lines.printf("%s\n", strings.TrimRight(own+" "+strings.Join(conditions, " "), " "))
	}
}

// beyond adds the rules of a built-in table for all that the file does not decide.
func (r *reader) beyond(table string) {
	for _, kind := range collective.Kinds() {
		r.ownRules(table, kind, nil)
	}
}

// note adds a note, once.
func (r *reader) note(format string, a ...any) {
	text := fmt.Sprintf(format, a...)
	if r.told == nil {
		r.told = map[string]bool{}
	}
	if !r.told[text] {
		r.told[text] = true
		r.notes = append(r.notes, text)
	}
}
