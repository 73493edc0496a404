// Package convert converts a trace, or a part of it, to another format.
package convert

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"fabricast/internal/atomicfile"
	"fabricast/trace"
	"fabricast/trace/goal"
	"fabricast/trace/native"
	"fabricast/trace/otf2"
)

// File name endings that select the format of the written file.
const (
	Native          = ".fbt"  // Fabricast's native format
	GOAL            = ".goal" // GOAL as text
	GOALBinary      = ".bin"  // binary GOAL, which LogGOPSim and ATLAHS read
	TimeIndependent = ".txt"
	OTF2            = ".otf2" // a folder, which holds the OTF2 archive
)

// Endings lists the file name endings that Write accepts.
var Endings = []string{Native, GOAL, GOALBinary, TimeIndependent, OTF2}

// Error reports why a trace cannot be written in a format.
type Error = trace.HoldError

// Write writes part p of trace t to the file path, in the format selected by the file name ending.
// It returns counts of the messages and other data that were omitted or changed because the part or
// the format cannot represent them.
func Write(path string, t trace.Trace, p Part) (Dropped, error) {
	source, records := t.(trace.Source)
	if !records {
		return writeTasks(path, t.(trace.Graph), p)
	}
	k, err := newKept(source, p)
	if err != nil {
		return Dropped{}, err
	}
	switch ending := filepath.Ext(path); ending {
	case Native:
		err = writeNative(path, source, k)
	case OTF2:
		err = writeOTF2(path, source, k)
	case GOAL:
		err = text(path, func(w *bufio.Writer) error { return recordsAsGOAL(w, source, k) })
	case GOALBinary:
		err = binary(path, func(w *bufio.Writer) error { return recordsAsGOAL(w, source, k) })
	case TimeIndependent:
		err = text(path, func(w *bufio.Writer) error { return recordsAsTI(w, source, k) })
	default:
		err = fmt.Errorf(
			"%s: found a name that ends with %q, expected one of %s",
			path, ending, strings.Join(Endings, ", "),
		)
	}
	return k.dropped, err
}

// writeTasks writes a trace of tasks. It returns an error if p is not the whole trace.
func writeTasks(path string, t trace.Graph, p Part) (d Dropped, err error) {
	goal := func(w *bufio.Writer) error {
		d.Rounded, err = tasksAsGOAL(w, t)
		return err
	}
	switch {
	case p != (Part{}):
		return d, fmt.Errorf(
			"%s: found a trace of tasks, expected one with regions: %s has none", path, t.Format(),
		)
	case filepath.Ext(path) == GOAL:
		err = text(path, goal)
		return d, err
	case filepath.Ext(path) == GOALBinary:
		err = binary(path, goal)
		return d, err
	case filepath.Ext(path) == Native:
		return d, tasksAsNative(path, t)
	}
	return d, fmt.Errorf(
		"%s: found a trace of tasks, expected a name that ends with %s, %s or %s, the formats for them",
		path, Native, GOAL, GOALBinary,
	)
}

// tasksAsNative writes a trace of tasks in Fabricast's native format.
func tasksAsNative(path string, t trace.Graph) error {
	w, err := native.Create(path, filepath.Dir(path), t.Ranks())
	if err != nil {
		return err
	}
	for rank := range t.Ranks() {
		if err := copyTasks(w.Rank(rank), t, rank); err != nil {
			w.Abandon()
			return err
		}
	}
	return w.Close(t.Groups(), computeFactor(t))
}

func copyTasks(to *native.Rank, t trace.Graph, rank int) error {
	s, err := t.OpenTasks(rank)
	if err != nil {
		return err
	}
	var task trace.Task
	for err = s.Next(&task); err == nil; err = s.Next(&task) {
		to.WriteTask(&task)
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// binary writes a binary GOAL file. write writes the schedule as text to a temporary file, which
// binary then converts.
func binary(path string, write func(w *bufio.Writer) error) error {
	folder, err := os.MkdirTemp(filepath.Dir(path), ".trace-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	name := filepath.Join(folder, "schedule"+GOAL)
	if err := text(name, write); err != nil {
		return err
	}
	g, err := goal.Open(name)
	if err != nil {
		return err
	}
	return goal.WriteBinary(path, g)
}

// text creates the text file path, and calls write to write its contents.
func text(path string, write func(w *bufio.Writer) error) error {
	return atomicfile.Write(path, func(to io.Writer) error {
		w := bufio.NewWriter(to)
		if err := write(w); err != nil {
			return err
		}
		return w.Flush()
	})
}

// writeNative writes the kept records of t in Fabricast's native format.
func writeNative(path string, t trace.Source, k *kept) error {
	w, err := native.Create(path, filepath.Dir(path), t.Ranks())
	if err != nil {
		return err
	}
	for rank := range t.Ranks() {
		to := w.Rank(rank)
		if err := k.each(rank, func(r *trace.Record) error { to.Write(r); return nil }); err != nil {
			w.Abandon()
			return err
		}
	}
	return w.Close(t.Groups(), computeFactor(t))
}

// computeFactor returns the factor by which the computation times of a trace have been multiplied.
func computeFactor(t trace.Trace) float64 {
	if s, ok := t.(interface{ ComputeFactor() float64 }); ok {
		return s.ComputeFactor()
	}
	return 1
}

// writeOTF2 writes the kept records of t as an OTF2 archive, in which communication takes no time.
func writeOTF2(path string, t trace.Source, k *kept) error {
	w, err := otf2.Create(
		path, filepath.Dir(path), t.Ranks(), func(group int32) []int32 { return t.Groups()[group] },
	)
	if err != nil {
		return err
	}
	for rank := range t.Ranks() {
		to := w.Rank(rank)
		if err := k.each(rank, func(r *trace.Record) error { return to.Write(r) }); err != nil {
			w.Abandon()
			return err
		}
	}
	return w.Close(t.Groups(), computeFactor(t))
}

// Formats without communicators have one tag space. The upper bits of a written tag hold a key of
// the communicator and context; the key of program messages in the world is 0.
const (
	tagBits  = 24
	mostKeys = 1<<(31-tagBits) - 1
)

// plainTag returns the tag of message m for a format without communicators; false if the
// communicator or the tag is too large.
func plainTag(m *trace.Message) (int64, bool) {
	key := 2*int64(m.Group) + int64(m.Options.Context&1)
	if m.Group == trace.Self {
		key = mostKeys
	}
	switch {
	case key == 0:
		return int64(m.Tag), true
	case key > mostKeys || m.Tag < 0 || m.Tag >= 1<<tagBits:
		return 0, false
	}
	return key<<tagBits + int64(m.Tag), true
}
