package sweep

import (
	"encoding/json"
	"os"
	"path/filepath"

	"fabricast"
	"fabricast/internal/whole"
)

// store keeps the results of points in a folder, a file for each under its key,
// so that a sweep never runs a point twice.
type store struct{ dir string }

// openStore makes the folder if it is not there.
func openStore(dir string) (store, error) {
	s := store{filepath.Join(dir, "points")}
	return s, os.MkdirAll(s.dir, 0o777)
}

func (s store) file(key string) string { return filepath.Join(s.dir, key+".json") }

// load returns the result of a point that has run before; nil if there is none
// that can be read.
func (s store) load(key string) *fabricast.Result {
	text, err := os.ReadFile(s.file(key))
	if err != nil {
		return nil
	}
	r := &fabricast.Result{}
	if json.Unmarshal(text, r) != nil || r.Schema != fabricast.Schema {
		return nil
	}
	return r
}

// save keeps a result. The file appears whole or not at all.
func (s store) save(key string, r *fabricast.Result) error {
	text, err := r.JSON()
	if err != nil {
		return err
	}
	return whole.WriteBytes(s.file(key), text)
}
