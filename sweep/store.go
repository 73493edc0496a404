package sweep

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"fabricast"
	"fabricast/internal/atomicfile"
	"fabricast/internal/cluster/claims"
	"fabricast/internal/filename"
	"fabricast/internal/input"
)

// store holds the results of points in a folder, one file per key, so that a sweep never runs a
// point twice. Several processes may share a store (share.go).
type store struct{ dir string }

// openStore opens a store, and creates its folder if necessary.
func openStore(dir string) (store, error) {
	s := store{filepath.Join(dir, "points")}
	return s, os.MkdirAll(s.dir, 0o777)
}

func (s store) file(key string) string { return filepath.Join(s.dir, key+resultEnding) }

// stored is the content of a point's file. A modified file is not accepted, and its point is run
// again.
type stored struct {
	// Point holds the labels of the point's axis values, in the order of the axes. It is empty for
	// results that belong to no single point, such as a baseline.
	Point  []Label         `json:"point,omitempty"`
	Sum    string          `json:"sha256"` // of the labels, if any, and the result, as compact JSON
	Result json.RawMessage `json:"result"`
}

// Label is the value of an axis at a point, as the sweep's file writes it.
type Label struct {
	Axis  string `json:"axis"`
	Value string `json:"value"`
}

// sum returns the checksum of the labels and the result.
func (s *stored) sum() string {
	var b bytes.Buffer
	if len(s.Point) > 0 {
		labels, err := json.Marshal(s.Point)
		if err != nil {
			return ""
		}
		b.Write(labels)
	}
	if json.Compact(&b, s.Result) != nil {
		return ""
	}
	sum := sha256.Sum256(b.Bytes())
	return hex.EncodeToString(sum[:])
}

// load returns the stored result of a point; nil if there is none, or if its file is damaged. In the
// latter case, damage says how.
func (s store) load(key string) (result *fabricast.Result, damage string) {
	text, err := input.Bytes(s.file(key), input.Result)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ""
	}
	if err != nil {
		return nil, "it cannot be read: " + err.Error()
	}
	var file stored
	r := &fabricast.Result{}
	switch {
	case json.Unmarshal(text, &file) != nil:
		return nil, "it is no JSON of a point"
	case file.Sum == "" || file.Sum != file.sum():
		return nil, "its content does not have its checksum"
	case json.Unmarshal(file.Result, r) != nil || r.Schema != fabricast.Schema:
		return nil, "it holds no result of this version"
	}
	return r, ""
}

// Stored reports whether the folder of a sweep holds the undamaged result of a point. The result may
// be newer than the sweep's table.
func Stored(folder, point string) bool {
	s := store{filepath.Join(folder, "points")}
	if _, err := filename.Within(s.dir, point+resultEnding); err != nil {
		return false
	}
	result, _ := s.load(point)
	return result != nil
}

// save stores the result of a point with the labels of its axis values. The file is written
// atomically.
func (s store) save(key string, point []Label, r *fabricast.Result) error {
	text, err := r.JSON()
	if err != nil {
		return err
	}
	file := stored{Point: point, Result: text}
	file.Sum = file.sum()
	if text, err = json.MarshalIndent(file, "", "  "); err != nil {
		return err
	}
	return atomicfile.WriteBytes(s.file(key), append(text, '\n'))
}

// resultEnding is the extension of result files.
const resultEnding = ".json"

// keys returns the keys of all results, failures and claims in the store. It reads the folder only
// once.
func (s store) keys() (results, failures, claimed map[string]bool, err error) {
	results, failures, claimed = map[string]bool{}, map[string]bool{}, map[string]bool{}
	entries, err := input.Folder(s.dir)
	for _, e := range entries {
		name := e.Name()
		if key := claims.Key(name); key != "" {
			claimed[key] = true
		} else if key, is := strings.CutSuffix(name, resultEnding); is {
			results[key] = true
		} else if key, is := strings.CutSuffix(name, failureEnding); is {
			failures[key] = true
		}
	}
	return results, failures, claimed, err
}
