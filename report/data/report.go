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
	"fabricast/record"
)

// Report is a manifest with its blobs.
type Report struct {
	Manifest *Manifest
	Blobs    *Blobs
}

// Make reports what is at the paths: result folders, and at most one sweep, by its folder or its
// sweep.json. A path that holds neither is an error; whatever else is wrong is among the
// manifest's problems.
func Make(paths ...string) (*Report, error) {
	return assemble(nil, paths)
}

// assemble reports what is at the paths, as one of several reports if it is asked for by one that grows.
func assemble(g *Growing, paths []string) (*Report, error) {
	r := empty()
	for _, path := range paths {
		if err := r.add(path, g); err != nil {
			return nil, err
		}
	}
	r.Manifest.Title = r.title()
	return r, nil
}

func empty() *Report {
	return &Report{
		Manifest: &Manifest{Schema: Schema, Version: fabricast.FullVersion(), Problems: []string{}, Runs: []*Run{}},
		Blobs:    newBlobs(),
	}
}

// Nothing is the report of runs that have left nothing yet.
func Nothing(paths ...string) *Report {
	r := empty()
	r.Manifest.Live = true
	for i, path := range paths {
		r.Manifest.Runs = append(r.Manifest.Runs, newRun(i, path))
	}
	r.Manifest.Title = r.title()
	return r
}

func newRun(number int, path string) *Run {
	return &Run{ID: fmt.Sprintf("r%d", number), Name: nameOf(path), Tables: map[string]*Table{}, Matrices: map[string]*Matrix{}}
}

// sweepFile is what a sweep leaves in its folder.
const sweepFile = "sweep.json"

// add adds what is at a path.
func (r *Report) add(path string, g *Growing) error {
	file := path
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		file = filepath.Join(path, sweepFile)
	}
	text, err := os.ReadFile(file)
	if err == nil && filepath.Ext(file) == ".json" {
		return r.addSweep(path, text)
	}
	in, err := record.Open(path)
	if errors.Is(err, record.ErrNoResult) || errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: found neither the result of a run nor that of a sweep", path)
	}
	if err != nil {
		return err
	}
	b := &builder{reader: in, blobs: r.Blobs, run: newRun(len(r.Manifest.Runs), path)}
	if b.prefix = b.run.ID; g != nil {
		g.build(b)
	} else {
		b.build()
	}
	m := r.Manifest
	m.Runs = append(m.Runs, b.run)
	m.Live = m.Live || in.State() == record.Running
	for _, p := range append(in.Problems(), b.problems...) {
		m.Problems = append(m.Problems, b.run.Name+": "+p)
	}
	return nil
}

// nameOf is what a folder is called.
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

// JSON is the manifest; < and > in it are escaped, so that it can stand in an HTML page.
func (m *Manifest) JSON() ([]byte, error) {
	var text bytes.Buffer
	w := json.NewEncoder(&text)
	w.SetEscapeHTML(true)
	err := w.Encode(m)
	return text.Bytes(), err
}
