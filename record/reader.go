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

	"fabricast/internal/filename"
	"fabricast/internal/input"
)

// Tables that describe the network and the ranks.
const (
	LinksTable   = "links.parquet"
	RanksTable   = "ranks.parquet"
	RoutersTable = "routers.parquet"
	NICsTable    = "nics.parquet"
)

// State is the state of a run.
type State string

// Values of State.
const (
	Running     State = "running"
	Ended       State = "ended"
	Interrupted State = "interrupted" // the result covers the time until the interruption
	Stopped     State = "stopped"     // ranks have stopped with their hosts; the result is that of all ranks
	Failed      State = "failed"
)

// ErrNoResult reports that there is no result at a path, and no run that is writing one.
var ErrNoResult = errors.New("there is no result of a run, nor a run that makes one")

// Reader reads a result folder. The run may still be writing it.
type Reader struct {
	dir      string
	path     string // the path passed to Open
	state    State
	result   []byte
	network  *Network
	problems []string
}

// Open opens the result folder at path. While a run is writing a result for path, it opens the
// unfinished folder of the run. It fails if there is no result (ErrNoResult) or it cannot be read.
// Problems lists missing or invalid files.
func Open(path string) (*Reader, error) {
	path = filepath.Clean(path)
	r := &Reader{dir: path, path: path, state: Ended}
	if growing := growingAt(path); growing != "" {
		r.dir, r.state = growing, Running
	} else if info, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s: %w", path, ErrNoResult)
	} else if err != nil {
		return nil, err
	}
	if err := r.load(); err != nil {
		return nil, err
	}
	return r, nil
}

// load reads result.json and network.json.
func (r *Reader) load() error {
	text, err := input.Bytes(r.Path(ResultFile), input.Result)
	switch {
	case err == nil:
		r.takeResult(text)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	case r.state == Ended && !r.Has(LinksTable) && !r.Has(NetworkFile):
		return fmt.Errorf("%s: %w", r.path, ErrNoResult)
	case r.state == Ended:
		r.problem("%s is missing: the folder is not whole", ResultFile)
	}
	if n, ok := readJSON[Network](r, NetworkFile, NetworkSchema); ok {
		if err := checkNetwork(n); err != nil {
			r.problem("%s cannot be used: %v", NetworkFile, err)
		} else {
			r.network = n
		}
	}
	for _, table := range []string{LinksTable, RoutersTable} {
		if r.state != Running && !r.Has(table) {
			r.problem("%s is missing", table)
		}
	}
	return nil
}

// takeResult stores the text of result.json if its schema is valid. Another version of the schema
// is accepted but reported by Problems.
func (r *Reader) takeResult(text []byte) {
	var head struct {
		Schema string `json:"schema"`
		State  State  `json:"state"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		r.problem("%s cannot be read: %v", ResultFile, err)
		return
	}
	if head.State == Interrupted {
		r.state = Interrupted
		r.problem("the run was interrupted: this is what it had done until then")
	}
	if head.State == Stopped {
		r.state = Stopped
		r.problem("ranks stopped with their hosts: jobs with such ranks have no prediction")
	}
	if head.Schema != Schema {
		r.problem("%s is of schema %q, this version reads %q", ResultFile, head.Schema, Schema)
		if !strings.HasPrefix(head.Schema, schemaPrefix) {
			return
		}
	}
	r.result = text
}

// readJSON reads a JSON file with the given schema. It returns false if the file is missing or
// invalid.
func readJSON[T any](r *Reader, name, schema string) (*T, bool) {
	text, err := input.Bytes(r.Path(name), input.Layout)
	if err != nil {
		if r.state != Running {
			r.problem("%s is missing", name)
		}
		return nil, false
	}
	return parseJSON[T](r, name, schema, text)
}

func parseJSON[T any](r *Reader, name, schema string, text []byte) (*T, bool) {
	var head struct {
		Schema string `json:"schema"`
	}
	v := new(T)
	if err := errors.Join(json.Unmarshal(text, &head), json.Unmarshal(text, v)); err != nil {
		r.problem("%s cannot be read: %v", name, err)
		return nil, false
	}
	if head.Schema != schema {
		r.problem("%s is of schema %q, this version reads %q", name, head.Schema, schema)
		return nil, false
	}
	return v, true
}

// problem adds a message to Problems, unless it already contains the same text.
func (r *Reader) problem(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(r.problems, text) {
		r.problems = append(r.problems, text)
	}
}

// State returns the state of the run.
func (r *Reader) State() State { return r.state }

// Problems returns messages about files that are missing, invalid or of another version.
func (r *Reader) Problems() []string { return r.problems }

// Result returns the text of result.json; nil if it is missing or invalid.
func (r *Reader) Result() []byte { return r.result }

// Network returns the content of network.json; nil if it is missing or invalid.
func (r *Reader) Network() *Network { return r.network }

// Dir returns the folder that the Reader reads. During the run, it is a hidden temporary folder.
func (r *Reader) Dir() string { return r.dir }

// Path returns the path of a file in the folder. It returns "" if name refers to a file outside the
// folder, as a damaged bins.json may.
func (r *Reader) Path(name string) string {
	path, err := filename.Within(r.dir, filepath.ToSlash(name))
	if err != nil {
		return ""
	}
	return path
}

// Has reports whether the folder contains a file with the given name.
func (r *Reader) Has(name string) bool {
	_, err := os.Stat(r.Path(name))
	return err == nil
}

// growingAt returns the hidden folder in which a running process writes the result for path; "" if
// there is none.
func growingAt(path string) string {
	found, _ := filepath.Glob(
		filepath.Join(globLiteral(filepath.Dir(path)), globLiteral(shelterPrefix(path))+"*", "result"),
	)
	for _, dir := range found {
		// The process of a run that was killed may have left its number to another.
		locked, known := held(filepath.Dir(dir))
		if p, err := readProgress(dir); err == nil && p.alive() && (locked || !known) {
			return dir
		}
	}
	return ""
}

// globLiteral returns a glob pattern that matches exactly the given name.
func globLiteral(name string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(name)
}

// TableError reports that a table cannot be read.
type TableError struct {
	Table string
	Err   error
}

func (e *TableError) Error() string {
	if errors.Is(e.Err, fs.ErrNotExist) {
		return e.Table + " is missing"
	}
	return fmt.Sprintf("%s is not whole, or of another version: %v", e.Table, e.Err)
}

// Unwrap returns the underlying error.
func (e *TableError) Unwrap() error { return e.Err }

// Count returns the number of rows in a table.
func (r *Reader) Count(table string) (rows int64, err error) {
	t, err := r.Table(table)
	if err != nil {
		return 0, err
	}
	defer t.Close()
	return t.NumRows(), nil
}
