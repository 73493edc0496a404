package sweep_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast/sweep"
)

func contents(t *rapid.T, file string) []byte {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestPartialSweep reads a sweep of which some points are missing and one is damaged: nothing runs,
// rows without a result say so, and plots mark them.
func TestPartialSweep(t *testing.T) {
	folder := t.TempDir()
	const text = `
experiment: {network: {topology: {dims: [2, 2]}}, traffic: {load: 10%}}
axes: [{field: traffic.load, values: [0.1, 0.2, 0.3, 0.4]}]
`
	whole := run(t, text, sweep.Options{Workers: 1, Folder: folder})
	files := map[string]string{} // by label
	for _, r := range whole.Rows {
		files[r.Point.Values[0].Label] = filepath.Join(folder, "points", r.Point.Key+".json")
	}
	if err := os.Remove(files["0.2"]); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(files["0.4"], []byte(`{"sha256": "0", "result": {}}`), 0o666); err != nil {
		t.Fatal(err)
	}
	var damaged []string
	f, err := open(t, text)
	if err != nil {
		t.Fatal(err)
	}
	part, err := f.Run(t.Context(), sweep.Options{
		Folder: folder, Part: sweep.Read,
		Damaged: func(_, point, _ string) { damaged = append(damaged, point) },
	})
	var unfinished *sweep.UnfinishedError
	if !errors.As(err, &unfinished) || unfinished.Done != 2 || unfinished.Points != 4 || part.Unfinished() != 2 {
		t.Fatalf("%v, want 2 of 4 points done", err)
	}
	if !slices.Equal(damaged, []string{"load=0.4"}) {
		t.Errorf("damaged: %v", damaged)
	}
	for i, r := range part.Rows {
		if missing := i%2 == 1; missing != (r.Result == nil) {
			t.Errorf("row %d: %v", i, r.Cells)
		} else if !missing && !reflect.DeepEqual(r.Cells, whole.Rows[i].Cells) {
			t.Errorf("row %d: %v, want %v", i, r.Cells, whole.Rows[i].Cells)
		}
	}
	var table strings.Builder
	if err := part.CSV(&table); err != nil || strings.Count(table.String(), ",not run yet\n") != 2 {
		t.Errorf("%v: %s", err, table.String())
	}
	pictures, err := part.Pictures()
	if err != nil || len(pictures) != 2 {
		t.Fatal(len(pictures), err)
	}
	for _, p := range pictures {
		if n := strings.Count(string(p.SVG), `class="missing"`); n != 3 { // with the legend
			t.Errorf("%s: %d marks, want 3", p.Name, n)
		}
	}
	curves, err := part.Curves()
	if err != nil || len(curves[0].Series) != 1 || !curves[0].Series[0].Points[1].Missing {
		t.Errorf("%+v, %v", curves, err)
	}
	if entries, err := os.ReadDir(filepath.Join(folder, "points")); err != nil || len(entries) != 3 {
		t.Errorf("reading has changed the folder: %v", entries)
	}
}

// TestChangedPoints changes a random byte in a stored result. The point must be run again, and the
// table must not change.
func TestChangedPoints(t *testing.T) {
	folder := t.TempDir()
	last := sweep.Progress{}
	var damaged []string
	again := func(folder string) [][]any {
		damaged = nil
		table := run(t, programs, sweep.Options{
			Workers: 1, Folder: folder, Progress: func(p sweep.Progress) { last = p },
			Damaged: func(file, point, damage string) { damaged = append(damaged, file, point, damage) },
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
		if len(damaged) != 3 || damaged[0] != file || !strings.Contains(damaged[1], "=") {
			r.Fatalf("told of %q, want %s with its labels", damaged, file)
		}
		if point := string(contents(r, file)); !strings.Contains(point, `"axis": "`) {
			r.Fatalf("the point has no labels: %s", point)
		}
	})
}
