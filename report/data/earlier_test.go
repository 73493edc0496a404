package data

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	library "github.com/parquet-go/parquet-go"

	"fabricast/record"
)

// TestEarlierFolders checks that the tables of a folder written by an earlier version are read as
// the Parquet library of that version reads them.
func TestEarlierFolders(t *testing.T) {
	folder := filepath.Join("testdata", "earlier")
	r := mustMake(t, folder)
	if len(r.Manifest.Runs[0].Tables) < 5 || r.Manifest.Runs[0].Summary == nil {
		t.Errorf("%d tables, summary %v", len(r.Manifest.Runs[0].Tables), r.Manifest.Runs[0].Summary)
	}
	for _, problem := range r.Manifest.Problems {
		if !strings.Contains(problem, "of schema") && !strings.Contains(problem, "of version") {
			t.Error(problem)
		}
	}
	tables, err := filepath.Glob(filepath.Join(folder, "*.parquet"))
	if err != nil || len(tables) != 10 {
		t.Fatalf("tables %v, %v", tables, err)
	}
	for _, path := range tables {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := library.Read[any](bytes.NewReader(text), int64(len(text)))
		if err != nil {
			t.Fatalf("%s: %d rows, %v", path, len(rows), err)
		}
		folder, err := record.Open(folder)
		if err != nil {
			t.Fatal(err)
		}
		f, err := readFrame(folder, filepath.Base(path))
		if err != nil || f.rows != len(rows) {
			t.Fatalf("%s: %v", path, err)
		}
		for i, row := range rows {
			cells := row.(map[string]any)
			if len(cells) != len(f.columns) {
				t.Fatalf("%s: %d columns, want %d", path, len(f.columns), len(cells))
			}
			for _, c := range f.columns {
				want, same := cells[c.name]
				if earlier := earlierName[c.name]; !same {
					want = cells[earlier]
				}
				if got := cellOf(c, i); fmt.Sprint(got) != fmt.Sprint(want) {
					t.Fatalf("%s: row %d: %s is %v, want %v", path, i, c.name, got, want)
				}
			}
		}
	}
}

// earlierName maps the names of columns to their names when the folder was written.
var earlierName = map[string]string{
	"utilization_fraction": "efficiency_fraction",
	"draw_x":               "x",
	"draw_y":               "y",
	"draw_z":               "z",
}

// cellOf returns the value of a column in the given row.
func cellOf(c *column, row int) any {
	switch {
	case c.ints != nil:
		return c.ints[row]
	case c.floats != nil:
		return c.floats[row]
	}
	return c.words[c.codes[row]]
}
