// Package resulttest creates result folders for tests, and collects the output of commands that
// tests observe.
package resulttest

import (
	"errors"
	"path/filepath"
	"testing"

	"fabricast/record"
)

// Folder creates a result folder, calls write to fill it, and opens it.
func Folder(t testing.TB, write func(*record.Folder) error) *record.Reader {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out")
	f, err := record.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(write(f), f.Commit()); err != nil {
		t.Fatal(err)
	}
	r, err := record.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
