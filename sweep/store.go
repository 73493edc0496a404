package sweep

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
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

// stored is the content of a point's file. A modified result is not accepted, and its point is run
// again.
type stored struct {
	Sum    string          `json:"sha256"` // of the result as compact JSON
	Result json.RawMessage `json:"result"`
}

// sum returns the checksum of a result.
func (s *stored) sum() string {
	var b bytes.Buffer
	if json.Compact(&b, s.Result) != nil {
		return ""
	}
	sum := sha256.Sum256(b.Bytes())
	return hex.EncodeToString(sum[:])
}

// load returns the stored result of a point; nil if the file is missing, unreadable or modified.
func (s store) load(key string) *fabricast.Result {
	text, err := input.Bytes(s.file(key), input.Result)
	if err != nil {
		return nil
	}
	var file stored
	r := &fabricast.Result{}
	if json.Unmarshal(text, &file) != nil || file.Sum == "" || file.Sum != file.sum() ||
		json.Unmarshal(file.Result, r) != nil || r.Schema != fabricast.Schema {
		return nil
	}
	return r
}

// Stored reports whether the folder of a sweep holds the result of a point. The result may be newer
// than the sweep's table.
func Stored(folder, point string) bool {
	path, err := filename.Within(filepath.Join(folder, "points"), point+resultEnding)
	if err != nil {
		return false
	}
	_, err = os.Stat(path)
	return err == nil
}

// save stores a result. The file is written atomically.
func (s store) save(key string, r *fabricast.Result) error {
	text, err := r.JSON()
	if err != nil {
		return err
	}
	file := stored{Result: text}
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
