package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ResultFile is the file by which a folder is known to hold a result.
const ResultFile = "result.json"

// schemaPrefix begins the schema of every result file.
const schemaPrefix = "fabricast.result/"

// ErrOccupied says that a folder holds something else than an earlier result.
var ErrOccupied = errors.New("expected a new name, or a folder with an earlier result and nothing else")

// files are the names of all that a result folder may hold.
var files = []string{
	ResultFile, ExperimentFile, MappingFile, ImbalanceFile, CollectivesFile, VersionFile, NetworkFile, ProgressFile, BinsFile, watchedFile,
	LinksTable, RanksTable, RoutersTable, NICsTable, LatencyTable, LinkBinsTable, BufferBinsTable, BufferLogTable, MessagesTable, TimelineTable,
}

// Files of a result folder that say what was run.
const (
	ExperimentFile  = "experiment.yaml"
	MappingFile     = "mapping.txt"
	ImbalanceFile   = "imbalance.txt"
	CollectivesFile = "collectives.txt"
	VersionFile     = "version.txt"
)

// Folder is a result folder that is being written. Nothing is seen at its path
// until Commit. Either Commit or Abort must be called; Abort after Commit does nothing.
type Folder struct {
	path    string
	shelter string // temporary folder beside path; "" once it is gone
	temp    string // in it: what becomes path
	lock    *os.File
}

// Create begins a result folder. It fails with ErrOccupied if there is a folder
// that must not be replaced.
func Create(path string) (*Folder, error) {
	target, err := filepath.EvalSymlinks(path) // a link to a folder stays one
	if err != nil {
		target = filepath.Clean(path)
	}
	removeLeft(target)
	if err := replaceable(target); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	parent := filepath.Dir(target)
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return nil, fmt.Errorf("%s: a folder cannot be made there: %w", path, err)
	}
	temp, err := os.MkdirTemp(parent, shelterPrefix(target))
	if err != nil {
		return nil, fmt.Errorf("%s: a folder cannot be made there: %w", path, cause(err))
	}
	// Within the temporary folder, which is for this user alone, a plain one
	// gets the permissions that people expect of a folder.
	f := &Folder{path: target, shelter: temp, temp: filepath.Join(temp, "result"), lock: lockShelter(temp)}
	if err := os.Mkdir(f.temp, 0o777); err != nil {
		return nil, errors.Join(err, os.RemoveAll(temp))
	}
	return f, nil
}

// shelterPrefix begins the name of the temporary folder beside a path.
func shelterPrefix(path string) string { return "." + filepath.Base(path) + ".part-" }

// cause is an error about a file that the user does not know, without its name.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// replaceable tells whether a new result may take the path's place: there is
// nothing, an empty folder, or an earlier result and nothing else.
func replaceable(path string) error {
	entries, err := os.ReadDir(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		if about, failed := os.Stat(path); failed == nil && !about.IsDir() {
			return fmt.Errorf("found a file, %w", ErrOccupied)
		}
		return fmt.Errorf("a folder cannot be made there: %w", cause(err))
	case len(entries) == 0:
		return nil
	}
	if !isResult(path) {
		return fmt.Errorf("found something that is not an earlier result, %w", ErrOccupied)
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || !slices.Contains(files, e.Name()) {
			return fmt.Errorf("found %s beside an earlier result, %w", e.Name(), ErrOccupied)
		}
	}
	return nil
}

// isResult tells whether a folder holds a result.
func isResult(path string) bool {
	text, err := os.ReadFile(filepath.Join(path, ResultFile))
	if err != nil {
		return false
	}
	var r struct {
		Schema string `json:"schema"`
	}
	return json.Unmarshal(text, &r) == nil && strings.HasPrefix(r.Schema, schemaPrefix)
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
	old := filepath.Join(f.shelter, oldFolder)
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
	err := os.RemoveAll(shelter)
	if f.lock != nil {
		err = errors.Join(err, f.lock.Close())
	}
	return err
}

// Abort removes what was written so far. It may be called on nil.
func (f *Folder) Abort() {
	if f != nil && f.shelter != "" {
		_ = f.remove() // what is left can do no harm, and the run's own error matters more
	}
}
