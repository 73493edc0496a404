// Package export converts the timeline and the messages of a result folder to the files of other
// tools: Perfetto, Chrome's trace viewer, Paraver, and CSV. Each format is one file here.
package export

import (
	"fmt"
	"io"

	"fabricast/internal/registry"
	"fabricast/record"
)

// Format is a format to export to. Each is declared in its own file, which registers it.
type Format struct {
	Name   string
	Ending string // of the file, by default
	// Files are the names to write, from the name of the first.
	Files func(name string) []string
	write func(r *record.Reader, to []io.Writer) error
}

var registered registry.Of[Format]

// register adds a format. place is its position in lists and messages, and must be unique.
func register(place int, f Format) struct{} {
	registered.Add(place, f, f.Name)
	return struct{}{}
}

// Formats lists the formats, by their places.
func Formats() []*Format { return registered.All() }

func one(name string) []string { return []string{name} }

// Find returns the format with the given name; false if there is none.
func Find(name string) (*Format, bool) {
	f := registered.Find(name)
	return f, f != nil
}

// Write writes the timeline of a result folder, and its messages if they were recorded. to has a
// writer for each file of the format. It returns an error if the folder has no timeline.
func (f *Format) Write(r *record.Reader, to ...io.Writer) error {
	if !r.Has(record.TimelineTable) {
		return fmt.Errorf("%s holds no timeline: run with --record timeline", r.Dir())
	}
	return f.write(r, to)
}

// name returns the label of a span: its state, after the collective if there is one.
func name(s *record.Span) string {
	if s.Collective == "" {
		return s.State
	}
	return s.Collective + ": " + s.State
}

// messages calls each for every message of a folder, with its number from 0. It does nothing if
// messages were not recorded.
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

// spans calls each for every span of a folder's timeline.
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

// ranks returns the number of ranks of a folder.
func ranks(r *record.Reader) (int, error) {
	n, err := r.Count(record.RanksTable)
	return int(n), err
}
