package record

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"
)

func TestTableRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "out")
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	rows := make([]Link, batch+3) // more than one batch
	for i := range rows {
		rows[i] = Link{
			Kind:       Between,
			Router:     int32(i),
			RouterName: "(0,1)",
			PortName:   "+x",
			NIC:        -1,
			Bytes:      int64(i) * 1000,
			Busy:       0.5,
		}
	}
	if err := WriteTable(f, "links.parquet", slices.Values(rows), map[string]string{"result_hash": "abc"}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the folder is there before Commit")
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	got, err := parquet.ReadFile[Link](filepath.Join(path, "links.parquet"))
	if err != nil || !slices.Equal(got, rows) {
		t.Errorf("read back %d rows, %v", len(got), err)
	}
	onlyEntry(t, filepath.Dir(path), "out")
}

// onlyEntry checks that a folder contains only the given entries, and no temporary files.
func onlyEntry(t *testing.T, folder string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if slices.Sort(want); !slices.Equal(names, want) { // names is sorted by ReadDir
		t.Errorf("the folder holds %v, want %v", names, want)
	}
}

func TestAbort(t *testing.T) {
	parent := t.TempDir()
	f, err := Create(filepath.Join(parent, "out"))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Write("x", []byte("y")); err != nil {
		t.Fatal(err)
	}
	f.Abort()
	f.Abort()
	onlyEntry(t, parent)
}

func TestReplace(t *testing.T) {
	parent := t.TempDir()
	path := filepath.Join(parent, "out")
	for _, text := range []string{`{"schema": "fabricast.result/2", "n": 1}`, `{"schema": "fabricast.result/2", "n": 2}`} {
		f, err := Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(f.Write(ResultFile, []byte(text)), f.Commit()); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(path, ResultFile)); err != nil || string(got) != text {
			t.Errorf("read %s, %v; want %s", got, err, text)
		}
	}
	onlyEntry(t, parent, "out")
}

func TestOccupied(t *testing.T) {
	f := func(name, text string) {
		t.Helper()
		path := t.TempDir()
		if err := os.WriteFile(filepath.Join(path, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Create(path); !errors.Is(err, ErrOccupied) {
			t.Errorf("a folder with %s: got %v", name, err)
		}
	}
	f("thesis.tex", "years of work")
	f(ResultFile, "{}")
	f(ResultFile, `{"schema": "other/1"}`)
	f(ResultFile, "not JSON")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(file); !errors.Is(err, ErrOccupied) {
		t.Errorf("a file: got %v", err)
	}
}
