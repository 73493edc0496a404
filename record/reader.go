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

// Tables that every result folder of a program has.
const (
	LinksTable   = "links.parquet"
	RanksTable   = "ranks.parquet"
	RoutersTable = "routers.parquet"
	NICsTable    = "nics.parquet"
)

// State is the state of the run of a result folder.
type State string

// Values of State.
const (
	Running     State = "running"
	Ended       State = "ended"
	Interrupted State = "interrupted" // the folder holds what was done until then
	Failed      State = "failed"
)

// ErrNoResult reports that a path has neither a result nor a run that is writing one.
var ErrNoResult = errors.New("there is no result of a run, nor a run that makes one")

// Reader reads a result folder, which may still be being written.
type Reader struct {
	dir      string
	path     string // as given to Open
	state    State
	result   []byte
	network  *Network
	problems []string
}

// Open opens the result folder at a path. While a run is going to put a result there, it opens the
// run's unfinished folder. It fails with ErrNoResult, or if nothing can be read. Missing or invalid
// files are listed by Problems.
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

// takeResult stores the text of result.json if it has the right schema.
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
	if head.Schema != Schema {
		r.problem("%s is of schema %q, this version reads %q", ResultFile, head.Schema, Schema)
		if !strings.HasPrefix(head.Schema, schemaPrefix) {
			return
		}
	}
	r.result = text
}

// readJSON reads a JSON file with the given schema; false if it is missing or invalid.
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

// problem records a problem, unless the same text has been recorded before.
func (r *Reader) problem(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(r.problems, text) {
		r.problems = append(r.problems, text)
	}
}

// State returns whether the run goes on, or how it ended.
func (r *Reader) State() State { return r.state }

// Problems lists, in words, what is missing, invalid, or of another version.
func (r *Reader) Problems() []string { return r.problems }

// Result returns the text of result.json; nil if there is none.
func (r *Reader) Result() []byte { return r.result }

// Network returns the content of network.json; nil if there is none.
func (r *Reader) Network() *Network { return r.network }

// Dir returns the folder that is read. While the run goes on, that is a hidden temporary one.
func (r *Reader) Dir() string { return r.dir }

// Path returns the path of a file in the folder. It returns "" for a name that leads out of the
// folder, as in a damaged bins.json.
func (r *Reader) Path(name string) string {
	path, err := filename.Within(r.dir, filepath.ToSlash(name))
	if err != nil {
		return ""
	}
	return path
}

// Has reports whether the folder has a file of this name.
func (r *Reader) Has(name string) bool {
	_, err := os.Stat(r.Path(name))
	return err == nil
}

// growingAt returns the hidden folder in which a live run writes the result for a path; "" if there
// is none.
func growingAt(path string) string {
	found, _ := filepath.Glob(
		filepath.Join(globLiteral(filepath.Dir(path)), globLiteral(shelterPrefix(path))+"*", "result"),
	)
	for _, dir := range found {
		if p, err := readProgress(dir); err == nil && p.alive() {
			return dir
		}
	}
	return ""
}

// globLiteral returns a glob pattern that matches only the given name.
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

// Count returns the number of rows of a table.
func (r *Reader) Count(table string) (rows int64, err error) {
	t, err := r.Table(table)
	if err != nil {
		return 0, err
	}
	defer t.Close()
	return t.NumRows(), nil
}
