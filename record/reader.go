package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// Tables of a result folder.
const (
	LinksTable   = "links.parquet"
	RanksTable   = "ranks.parquet"
	RoutersTable = "routers.parquet"
	NICsTable    = "nics.parquet"
)

// State is how far the run of a result folder has got.
type State string

// States of runs.
const (
	Running     State = "running"
	Ended       State = "ended"
	Interrupted State = "interrupted" // what was done until then is there
	Failed      State = "failed"
)

// ErrNoResult says that there is no result at a path, nor a run that makes one.
var ErrNoResult = errors.New("there is no result of a run, nor a run that makes one")

// Reader reads a result folder, also one that is being written.
type Reader struct {
	dir      string
	path     string // as asked for
	state    State
	result   []byte
	network  *Network
	problems []string
}

// Open opens the result folder at a path; while a run is going on that will put
// one there, what that has written so far. It fails with ErrNoResult, or if
// nothing can be read. What is missing or cannot be understood is in Problems.
func Open(path string) (*Reader, error) {
	path = filepath.Clean(path)
	r := &Reader{dir: path, path: path, state: Ended}
	if growing := growingAt(path); growing != "" {
		r.dir, r.state = growing, Running
	} else if _, err := os.Stat(path); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: %w", path, ErrNoResult)
		}
		return nil, err
	}
	if err := r.load(); err != nil {
		return nil, err
	}
	return r, nil
}

// load reads the small files.
func (r *Reader) load() error {
	text, err := os.ReadFile(r.Path(ResultFile))
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
		r.network = n
	}
	for _, table := range []string{LinksTable, RoutersTable} {
		if r.state != Running && !r.Has(table) {
			r.problem("%s is missing", table)
		}
	}
	return nil
}

// takeResult takes result.json if it is one.
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
	if head.Schema != schemaPrefix+"1" {
		r.problem("%s is of schema %q, this version reads %q", ResultFile, head.Schema, schemaPrefix+"1")
		if !strings.HasPrefix(head.Schema, schemaPrefix) {
			return
		}
	}
	r.result = text
}

// readJSON reads a JSON file with a schema, if it is there and can be understood.
func readJSON[T any](r *Reader, name, schema string) (*T, bool) {
	text, err := os.ReadFile(r.Path(name))
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

func (r *Reader) problem(format string, args ...any) {
	r.problems = append(r.problems, fmt.Sprintf(format, args...))
}

// State tells whether the run has ended.
func (r *Reader) State() State { return r.state }

// Problems are, in words, what is missing, broken, or of another version.
func (r *Reader) Problems() []string { return r.problems }

// Result is the text of result.json; nil if there is none.
func (r *Reader) Result() []byte { return r.result }

// Network is what network.json tells; nil if there is none.
func (r *Reader) Network() *Network { return r.network }

// Dir is the folder that is read: while the run is going on, a hidden one.
func (r *Reader) Dir() string { return r.dir }

// Path is that of a file of the folder.
func (r *Reader) Path(name string) string { return filepath.Join(r.dir, name) }

// Has tells whether the folder has a file.
func (r *Reader) Has(name string) bool {
	_, err := os.Stat(r.Path(name))
	return err == nil
}

// growingAt is the hidden folder in which a run writes what will be at a path; "" if there is none.
func growingAt(path string) string {
	found, _ := filepath.Glob(filepath.Join(globLiteral(filepath.Dir(path)), globLiteral(shelterPrefix(path))+"*", "result"))
	for _, dir := range found {
		if p, err := readProgress(dir); err == nil && p.alive() {
			return dir
		}
	}
	return ""
}

// globLiteral is a pattern that matches a name alone.
func globLiteral(name string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(name)
}

// TableError is a table that cannot be read.
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

// Unwrap returns the cause.
func (e *TableError) Unwrap() error { return e.Err }

// Count is the number of rows of a table.
func (r *Reader) Count(table string) (rows int64, err error) {
	f, file, err := r.openTable(table)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return file.NumRows(), nil
}

func (r *Reader) openTable(table string) (f *os.File, file *parquet.File, err error) {
	if f, err = os.Open(r.Path(table)); err != nil {
		return nil, nil, &TableError{table, err}
	}
	info, err := f.Stat()
	if err == nil {
		file, err = parquet.OpenFile(f, info.Size())
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, &TableError{table, err}
	}
	return f, file, nil
}

// Rows yields the rows of a table in their order. After an error, a
// *TableError, nothing follows.
func Rows[Row any](r *Reader, table string) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		var none Row
		if err := r.each(table, func(file *parquet.File) (bool, error) { return readRows(file, yield) }); err != nil {
			yield(none, err)
		}
	}
}

// each hands an open table over, and tells of what went wrong unless nobody listens any more.
func (r *Reader) each(table string, read func(*parquet.File) (more bool, err error)) (err error) {
	f, file, err := r.openTable(table)
	if err != nil {
		return err
	}
	defer f.Close()
	more := true
	defer func() { // the library panics on some broken files
		if p := recover(); p != nil && more {
			err = &TableError{table, fmt.Errorf("%v", p)}
		}
	}()
	if more, err = read(file); err != nil && more {
		return &TableError{table, err}
	}
	return nil
}

func readRows[Row any](file *parquet.File, yield func(Row, error) bool) (more bool, err error) {
	var row Row
	if missing := missingColumns(file.Schema(), parquet.SchemaOf(row)); len(missing) > 0 {
		return true, fmt.Errorf("it has no columns %s", strings.Join(missing, ", "))
	}
	in := parquet.NewGenericReader[Row](file)
	defer in.Close()
	rows := make([]Row, batch)
	for {
		n, err := in.Read(rows)
		for i := range rows[:n] {
			if !yield(rows[i], nil) {
				return false, nil
			}
		}
		if errors.Is(err, io.EOF) {
			return true, nil
		}
		if err != nil {
			return true, err
		}
	}
}

// missingColumns are the columns wanted that there are not.
func missingColumns(have, want *parquet.Schema) []string {
	var missing []string
	for _, path := range want.Columns() {
		if _, ok := have.Lookup(path...); !ok {
			missing = append(missing, strings.Join(path, "."))
		}
	}
	return missing
}
