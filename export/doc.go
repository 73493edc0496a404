// Package export turns the timeline and the messages of a result folder into the files of
// other tools: Perfetto, Chrome's trace viewer, Paraver, and tables as CSV. A format is one file here.
package export

import (
	"fmt"
	"io"
	"slices"

	"fabricast/record"
)

// Format is a format to export to.
type Format struct {
	Name string
	// Files are the names to write, from the name of the first.
	Files func(name string) []string
	write func(r *record.Reader, to []io.Writer) error
}

// Formats lists them.
var Formats = []Format{
	{"perfetto", one, perfetto},
	{"chrome", one, chrome},
	{"paraver", paraverFiles, paraver},
	{"csv", one, timelineCSV},
}

func one(name string) []string { return []string{name} }

// Find finds a format by its name.
func Find(name string) (*Format, bool) {
	i := slices.IndexFunc(Formats, func(f Format) bool { return f.Name == name })
	if i < 0 {
		return nil, false
	}
	return &Formats[i], true
}

// Write writes the timeline of a folder, and its messages if there are any, to the files of the format.
func (f *Format) Write(r *record.Reader, to ...io.Writer) error {
	if !r.Has(record.TimelineTable) {
		return fmt.Errorf("%s holds no timeline: run with --record timeline", r.Dir())
	}
	return f.write(r, to)
}

// name is what a span is called.
func name(s *record.Span) string {
	if s.Collective == "" {
		return s.State
	}
	return s.Collective + ": " + s.State
}

// messages yields the messages of a folder, none if they were not recorded.
func messages(r *record.Reader, each func(i int, m *record.Message) error) error {
	if !r.Has(record.MessagesTable) {
		return nil
	}
	i := 0
	for m, err := range record.Rows[record.Message](r, record.MessagesTable) {
		if err == nil {
			err = each(i, &m)
		}
		if err != nil {
			return err
		}
		i++
	}
	return nil
}

// spans yields the spans of a folder.
func spans(r *record.Reader, each func(s *record.Span) error) error {
	for s, err := range record.Rows[record.Span](r, record.TimelineTable) {
		if err == nil {
			err = each(&s)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ranks is the number of ranks of a folder.
func ranks(r *record.Reader) (int, error) {
	n, err := r.Count(record.RanksTable)
	return int(n), err
}
