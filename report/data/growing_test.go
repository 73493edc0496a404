package data

import (
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/longrun"
	"fabricast/record"
)

// TestGrowing follows a run. It checks that reports reuse the arrays of earlier reports, and that
// their bins agree with the final tables.
func TestGrowing(t *testing.T) {
	mixed := longrun.Small()
	mixed.Network.Links = map[string]experiment.Link{"y": {Bandwidth: 5e9}}
	for _, e := range []*fabricast.Experiment{longrun.Small(), mixed} {
		dir := filepath.Join(t.TempDir(), "run")
		interrupt := longrun.Start(t, e, dir)
		reports := follow(t, dir, 3)
		interrupt()
		for i := 1; i < len(reports); i++ {
			sameBefore(t, reports[i-1], reports[i])
		}
		for _, stat := range []string{"utilization", "throughput"} {
			sameAsTable(t, reports[len(reports)-1], dir, stat)
		}
	}
}

// follow makes reports until n of them differ in their bins.
func follow(t *testing.T, dir string, n int) []*Report {
	t.Helper()
	var g Growing
	var list []*Report
	for end := time.Now().Add(2 * time.Minute); len(list) < n; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d reports that differ, want %d", len(list), n)
		}
		if r, err := record.Open(dir); err == nil {
			r.Watch()
		}
		r, err := g.Make(dir)
		if err != nil || len(r.Manifest.Runs[0].Matrices) == 0 {
			continue
		}
		if len(r.Manifest.Problems) > 0 {
			t.Fatalf("problems %v", r.Manifest.Problems)
		}
		if len(list) == 0 || r.Manifest.Runs[0].Bins.Count != list[len(list)-1].Manifest.Runs[0].Bins.Count {
			list = append(list, r)
		}
	}
	return list
}

// sameBefore checks that the later report has the tables of the earlier one and, unless bins were
// merged in between, its columns.
func sameBefore(t *testing.T, earlier, later *Report) {
	t.Helper()
	a, b := earlier.Manifest.Runs[0], later.Manifest.Runs[0]
	if x, y := a.Tables["links"].Columns[0].Blob, b.Tables["links"].Columns[0].Blob; x != y {
		t.Errorf("the links were made again: %s, then %s", x, y)
	}
	if a.Bins.Interval != b.Bins.Interval {
		return
	}
	for key, m := range a.Matrices {
		if !slices.Equal(m.Parts, b.Matrices[key].Parts[:len(m.Parts)]) {
			t.Errorf("%s: parts %v became %v", key, m.Parts, b.Matrices[key].Parts)
		}
	}
}

// sameAsTable compares the bytes in a report's columns with those in the final table.
func sameAsTable(t *testing.T, r *Report, dir, stat string) {
	t.Helper()
	run := r.Manifest.Runs[0]
	m := run.Matrices["link_"+stat]
	rows, err := parquet.ReadFile[record.LinkBin](filepath.Join(dir, record.LinkBinsTable))
	if err != nil {
		t.Fatal(err)
	}
	links, err := parquet.ReadFile[record.Link](filepath.Join(dir, record.LinksTable))
	if err != nil {
		t.Fatal(err)
	}
	full := func(l *record.Link) float64 {
		if stat == "throughput" {
			return 1
		}
		return float64(l.Capacity)
	}
	want := make([]float64, m.Rows*m.Cols)
	for _, x := range rows {
		if col := int(x.Begin / run.Bins.Interval); col < m.Cols {
			full := full(&links[x.Link]) * float64(run.Bins.Interval) / 1e12
			want[int(x.Link)*m.Cols+col] += float64(x.Bytes) / full
		}
	}
	first := 0
	for _, p := range m.Parts {
		values := array(t, r, p.Blob, p.Type)
		for row := range m.Rows {
			for c := range p.Cols {
				got, want := values[row*p.Cols+c]*p.Scale, want[row*m.Cols+first+c]
				if math.Abs(got-want) > 1e-4*max(1, want)+p.Scale*boolFloat(p.Type == "u8") {
					t.Fatalf("link %d, column %d: %g, want %g", row, first+c, got, want)
				}
			}
		}
		first += p.Cols
	}
	if first != m.Cols || m.Cols != run.Bins.Count {
		t.Errorf("parts of %d columns, of a matrix of %d, of %d bins", first, m.Cols, run.Bins.Count)
	}
}

func boolFloat(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
