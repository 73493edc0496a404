package fabricast

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"

	"fabricast/internal/config"
)

// Fragment is a part of a file as it is written, with its place: of a single value it has the Text, of a list the
// Items, of a mapping the Fields, each with its Key and Value.
type Fragment = config.Node

// Document is an experiment as it is written, before defaults are filled in, over
// which fields can be laid. It is immutable.
type Document struct {
	root *Fragment
	dir  string // where files are looked for that it names
}

// OpenDocument reads an experiment file. Its error is a *ConfigError.
func OpenDocument(path string) (*Document, error) {
	root, err := config.Load(path)
	if err != nil {
		return nil, configError(err)
	}
	return &Document{root, filepath.Dir(path)}, nil
}

// NewDocument takes an experiment that is part of another file in the folder dir.
func NewDocument(root *Fragment, dir string) *Document { return &Document{root, dir} }

// IsSweep tells whether a file describes a sweep of experiments and not one of them.
func IsSweep(root *Fragment) bool {
	for _, field := range []string{"axes", "experiment", "base", "findings"} {
		if config.Get(root, field) != nil {
			return true
		}
	}
	return false
}

// Set returns the document with an assignment such as "network.link.latency=50ns" laid over it. Its error is a *ConfigError.
func (d *Document) Set(assignment string) (*Document, error) {
	root, err := assign(d.root, assignment)
	if err != nil {
		return nil, configError(err)
	}
	return &Document{root, d.dir}, nil
}

// With returns the document with the field at a dotted path replaced by a part of this or another one.
func (d *Document) With(path string, value *Fragment) *Document {
	return &Document{config.Put(unfoldCollectives(d.root, path), path, value), d.dir}
}

// Field returns what is written at a dotted path, nil if nothing is.
func (d *Document) Field(path string) *Fragment { return config.Get(d.root, path) }

// Experiment decodes the document, fills in the defaults and checks it. Its error
// is a *ConfigError.
func (d *Document) Experiment() (*Experiment, error) { return decode(d.root, d.dir, nil, all) }

// Fingerprint identifies a resolved experiment, the files that it names, and the
// version of Fabricast: where it is the same, so is the result.
func (e *Experiment) Fingerprint() (string, error) {
	text, err := e.YAML()
	h := sha256.New()
	h.Write([]byte(FullVersion() + "\n"))
	h.Write(text)
	for _, file := range e.files() {
		if *file == "" {
			continue
		}
		text, readErr := os.ReadFile(*file)
		err = errors.Join(err, readErr)
		h.Write(text)
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), err
}
