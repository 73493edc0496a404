package sweep_test

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"fabricast/sweep"
)

// TestChangedPoints changes a random byte in a stored result. The point must be run again, and the
// table must not change.
func TestChangedPoints(t *testing.T) {
	folder := t.TempDir()
	last := sweep.Progress{}
	again := func(folder string) [][]any {
		table := run(t, programs, sweep.Options{
			Workers: 1, Folder: folder, Progress: func(p sweep.Progress) { last = p },
		})
		var cells [][]any
		for _, r := range table.Rows {
			cells = append(cells, r.Cells)
		}
		return cells
	}
	want := again(folder)
	files, err := filepath.Glob(filepath.Join(folder, "points", "*.json"))
	if err != nil || len(files) < 2 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	if again(folder); last.Kept != len(files) {
		t.Fatalf("%d points kept, want all %d", last.Kept, len(files))
	}
	rapid.Check(t, func(r *rapid.T) {
		file := rapid.SampledFrom(files).Draw(r, "file")
		text, err := os.ReadFile(file)
		if err != nil {
			r.Fatal(err)
		}
		var digits []int
		for i, c := range text {
			if c >= '0' && c <= '9' {
				digits = append(digits, i)
			}
		}
		at := rapid.SampledFrom(digits).Draw(r, "digit")
		text[at] = '0' + (text[at]-'0'+byte(rapid.IntRange(1, 9).Draw(r, "by")))%10
		if err := os.WriteFile(file, text, 0o666); err != nil {
			r.Fatal(err)
		}
		if got := again(folder); !reflect.DeepEqual(got, want) || last.Kept != len(files)-1 {
			r.Fatalf("%d points kept, table %v, want %v", last.Kept, got, want)
		}
	})
}
