package fabricast

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"

	"fabricast/internal/config"
)

// Document is an experiment as it is written, before defaults are filled in, over
// which fields can be laid. It is immutable.
type Document struct {
	root *config.Node
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
func NewDocument(root *config.Node, dir string) *Document { return &Document{root, dir} }

// IsSweep tells whether a file describes a sweep of experiments and not one of them.
func IsSweep(root *config.Node) bool {
	for _, field := range []string{"axes", "experiment", "base", "findings"} {
		if config.Get(root, field) != nil {
			return true
		}
	}
	return false
}

// With returns the document with the field at a dotted path replaced.
func (d *Document) With(path string, value *config.Node) *Document {
	return &Document{config.Put(unfoldCollectives(d.root, path), path, value), d.dir}
}

// Field returns what is written at a dotted path, nil if nothing is.
func (d *Document) Field(path string) *config.Node { return config.Get(d.root, path) }

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
