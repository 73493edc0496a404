package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ResultFile is the file by which a folder is known to hold a result.
const ResultFile = "result.json"

// schemaPrefix begins the schema of every result file.
const schemaPrefix = "fabricast.result/"

// ErrOccupied says that a folder holds something else than an earlier result.
var ErrOccupied = errors.New("found something that is not an earlier result, expected a new name or a folder with an earlier result")

// Folder is a result folder that is being written. Nothing is seen at its path
// until Commit. Either Commit or Abort must be called; Abort after Commit does nothing.
type Folder struct {
	path    string
	shelter string // temporary folder beside path; "" once it is gone
	temp    string // in it: what becomes path
}

// Create begins a result folder. It fails with ErrOccupied if there is a folder
// that must not be replaced.
func Create(path string) (*Folder, error) {
	if err := replaceable(path); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	parent := filepath.Dir(filepath.Clean(path))
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return nil, err
	}
	temp, err := os.MkdirTemp(parent, shelterPrefix(path))
	if err != nil {
		return nil, err
	}
	// Within the temporary folder, which is for this user alone, a plain one
	// gets the permissions that people expect of a folder.
	f := &Folder{path: filepath.Clean(path), shelter: temp, temp: filepath.Join(temp, "result")}
	if err := os.Mkdir(f.temp, 0o777); err != nil {
		return nil, errors.Join(err, os.RemoveAll(temp))
	}
	return f, nil
}

// shelterPrefix begins the name of the temporary folder beside a path.
func shelterPrefix(path string) string { return "." + filepath.Base(path) + ".part-" }

// replaceable tells whether a new result may take the path's place: there is
// nothing, an empty folder, or an earlier result.
func replaceable(path string) error {
	entries, err := os.ReadDir(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return ErrOccupied
	case len(entries) == 0:
		return nil
	}
	text, err := os.ReadFile(filepath.Join(path, ResultFile))
	if err != nil {
		return ErrOccupied
	}
	var r struct {
		Schema string `json:"schema"`
	}
	if json.Unmarshal(text, &r) != nil || !strings.HasPrefix(r.Schema, schemaPrefix) {
		return ErrOccupied
	}
	return nil
}

// Write adds a file.
func (f *Folder) Write(name string, data []byte) error {
	return os.WriteFile(filepath.Join(f.temp, name), data, 0o666)
}

// Commit puts the folder in place of whatever was there.
func (f *Folder) Commit() error {
	if err := replaceable(f.path); err != nil {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	old := filepath.Join(f.shelter, "old")
	err := os.Rename(f.path, old)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(f.temp, f.path); err != nil {
		return errors.Join(err, os.Rename(old, f.path))
	}
	return f.remove()
}

func (f *Folder) remove() error {
	shelter := f.shelter
	f.shelter = ""
	return os.RemoveAll(shelter)
}

// Abort removes what was written so far. It may be called on nil.
func (f *Folder) Abort() {
	if f != nil && f.shelter != "" {
		_ = f.remove() // what is left can do no harm, and the run's own error matters more
	}
}
