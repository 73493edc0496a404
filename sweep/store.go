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

// store keeps the results of points in a folder, one file per key, so that a sweep never runs a
// point twice. Several processes may share a store (share.go).
type store struct{ dir string }

// openStore opens a store, and creates its folder if necessary.
func openStore(dir string) (store, error) {
	s := store{filepath.Join(dir, "points")}
	return s, os.MkdirAll(s.dir, 0o777)
}

func (s store) file(key string) string { return filepath.Join(s.dir, key+resultEnding) }

// stored is the file of a point. A result that has been modified is not accepted, and its point is
// run again.
type stored struct {
	Sum    string          `json:"sha256"` // of the result, without blanks between its parts
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

// load returns the stored result of a point; nil if there is none, or if it cannot be read or has
// been modified.
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

// Stored reports whether the folder of a sweep has the result of a point, which may be newer than its
// table.
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

// ending of the files of results
const resultEnding = ".json"

// keys lists the keys of all results in the store, of all failures, and of all claims. It reads the
// folder once, however many there are.
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
