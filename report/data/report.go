package data

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"fabricast"
	"fabricast/internal/input"
	"fabricast/record"
)

// Report is a manifest with its blobs.
type Report struct {
	Manifest *Manifest
	Blobs    *Blobs
}

// Make makes a report of the paths: result folders, and at most one sweep, given by its folder or
// its sweep.json. A path that holds neither is an error. Other problems are listed in the
// manifest's Problems.
func Make(paths ...string) (*Report, error) {
	return assemble(nil, paths)
}

// assemble makes a report of the paths. If g is not nil, it stores data for reuse by later reports.
func assemble(g *Growing, paths []string) (*Report, error) {
	r := empty()
	for _, path := range paths {
		if err := r.add(path, g); err != nil {
			return nil, err
		}
	}
	r.Manifest.Title = r.title()
	if len(r.Manifest.Runs) > 1 {
		r.Manifest.Differences = differences(paths)
	}
	return r, nil
}

func empty() *Report {
	return &Report{
		Manifest: &Manifest{
			Schema:   Schema,
			Version:  fabricast.FullVersion(),
			Problems: []string{},
			Runs:     []*Run{},
		},
		Blobs: newBlobs(),
	}
}

// Nothing returns the report of runs that have written nothing yet.
func Nothing(paths ...string) *Report {
	r := empty()
	r.Manifest.Live = true
	for i, path := range paths {
		r.Manifest.Runs = append(r.Manifest.Runs, newRun(i, path))
	}
	r.Manifest.Title = r.title()
	return r
}

// missingError reports that a path holds no result. It wraps record.ErrNoResult.
type missingError struct{ path string }

func (e *missingError) Error() string {
	return e.path + ": found neither the result of a run nor that of a sweep"
}

func (*missingError) Unwrap() error { return record.ErrNoResult }

func newRun(number int, path string) *Run {
	return &Run{
		ID:       fmt.Sprintf("r%d", number),
		Name:     nameOf(path),
		Tables:   map[string]*Table{},
		Matrices: map[string]*Matrix{},
	}
}

// sweepFile is the file by which the folder of a sweep is recognized.
const sweepFile = "sweep.json"

// add adds the result or the sweep at a path to the report.
func (r *Report) add(path string, g *Growing) error {
	file := path
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		file = filepath.Join(path, sweepFile)
	}
	if isSweep(file) {
		text, err := input.Bytes(file, input.Sweep)
		if err != nil {
			return err
		}
		return r.addSweep(path, text)
	}
	in, err := record.Open(path)
	if errors.Is(err, record.ErrNoResult) || errors.Is(err, fs.ErrNotExist) {
		return &missingError{path}
	}
	if err != nil {
		return err
	}
	b := &builder{reader: in, folder: path, blobs: r.Blobs, run: newRun(len(r.Manifest.Runs), path)}
	if b.prefix = b.run.ID; g != nil {
		g.build(b)
	} else {
		b.build()
	}
	b.run.LookBack = b.lookBack()
	m := r.Manifest
	m.Runs = append(m.Runs, b.run)
	m.Live = m.Live || in.State() == record.Running
	for _, p := range append(in.Problems(), b.problems...) {
		m.Problems = append(m.Problems, b.run.Name+": "+p)
	}
	return nil
}

// isSweep reports whether a file is the table of a sweep. It reads only the beginning, because
// another kind of file may be large.
func isSweep(file string) bool {
	if filepath.Ext(file) != ".json" {
		return false
	}
	begin, err := input.Beginning(file, input.Sweep)
	return err == nil && strings.Contains(begin, `"schema"`)
}

// nameOf returns the name of a folder, without its path.
func nameOf(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		path = full
	}
	return filepath.Base(path)
}

func (r *Report) title() string {
	if s := r.Manifest.Sweep; s != nil {
		return s.Title
	}
	var names []string
	for _, run := range r.Manifest.Runs {
		names = append(names, run.Name)
	}
	return strings.Join(names, " and ")
}

// JSON returns the manifest as JSON in which < and > are escaped, so that it can be part of an HTML
// page.
func (m *Manifest) JSON() ([]byte, error) {
	var text bytes.Buffer
	w := json.NewEncoder(&text)
	w.SetEscapeHTML(true)
	err := w.Encode(m)
	return text.Bytes(), err
}
