package data

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"fabricast"
	"fabricast/experiment"
	"fabricast/record"
	"fabricast/topology"
)

// runInto runs an experiment on a small torus and writes its result to a folder.
func runInto(t *testing.T, folder string) *fabricast.Result {
	t.Helper()
	e := &fabricast.Experiment{
		Network:  experiment.Network{Topology: topology.TorusSpec{Dims: []int{4, 3, 2}}},
		Workload: experiment.Workload{Program: "alltoall", Algorithm: "ring", Size: 600},
	}
	r, err := e.Run(t.Context(), fabricast.Record(folder))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// values returns a column of a report's table as numbers.
func values(t *testing.T, r *Report, table *Table, name string) []float64 {
	t.Helper()
	for _, c := range table.Columns {
		if c.Name == name {
			return array(t, r, c.Blob, c.Type)
		}
	}
	t.Fatalf("no column %s", name)
	return nil
}

// array decompresses and decodes a blob.
func array(t *testing.T, r *Report, blob, kind string) []float64 {
	t.Helper()
	packed, ok := r.Blobs.Get(blob)
	if !ok {
		t.Fatalf("no blob %s", blob)
	}
	unzip, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(unzip)
	if err != nil {
		t.Fatal(err)
	}
	var list []float64
	for len(raw) > 0 {
		switch kind {
		case "u8":
			list, raw = append(list, float64(raw[0])), raw[1:]
		case "u16", "str":
			list, raw = append(list, float64(binary.LittleEndian.Uint16(raw))), raw[2:]
		case "i32":
			list, raw = append(list, float64(int32(binary.LittleEndian.Uint32(raw)))), raw[4:]
		case "f32":
			list, raw = append(list, float64(math.Float32frombits(binary.LittleEndian.Uint32(raw)))), raw[4:]
		case "i64":
			list, raw = append(list, float64(int64(binary.LittleEndian.Uint64(raw)))), raw[8:]
		case "f64":
			list, raw = append(list, math.Float64frombits(binary.LittleEndian.Uint64(raw))), raw[8:]
		default:
			t.Fatalf("a column of type %q", kind)
		}
	}
	return list
}

func mustMake(t *testing.T, paths ...string) *Report {
	t.Helper()
	r, err := Make(paths...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestColumnsAreTheTables checks that a report holds the data of the Parquet files.
func TestColumnsAreTheTables(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "torus")
	runInto(t, dir)
	r := mustMake(t, dir)
	if len(r.Manifest.Problems) > 0 {
		t.Errorf("problems with a whole folder: %q", r.Manifest.Problems)
	}
	links, err := parquet.ReadFile[record.Link](filepath.Join(dir, record.LinksTable))
	if err != nil {
		t.Fatal(err)
	}
	table := r.Manifest.Runs[0].Tables["links"]
	carried, utilization := values(t, r, table, "wire_bytes"), values(t, r, table, "utilization_fraction")
	if len(carried) != len(links) {
		t.Fatalf("%d links, want %d", len(carried), len(links))
	}
	for i, l := range links {
		if carried[i] != float64(l.Bytes) || math.Abs(utilization[i]-l.Utilization) > 1e-6*l.Utilization {
			t.Fatalf(
				"link %d: %g bytes and %g, want %d and %g",
				i, carried[i], utilization[i], l.Bytes, l.Utilization,
			)
		}
	}
	ranks, err := parquet.ReadFile[record.Rank](filepath.Join(dir, record.RanksTable))
	if err != nil {
		t.Fatal(err)
	}
	for i, end := range values(t, r, r.Manifest.Runs[0].Tables["ranks"], "end_ps") {
		if end != float64(ranks[i].End) {
			t.Fatalf("rank %d ends at %g, want %d", i, end, ranks[i].End)
		}
	}
}

// TestWhereItWentAddsUp checks that the parts add up to the predicted time, and that the bounds do
// not exceed it.
func TestWhereItWentAddsUp(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "torus")
	result := runInto(t, dir)
	s := mustMake(t, dir).Manifest.Runs[0].Summary
	var sum int64
	share := 0.0
	for _, p := range s.WhereItWent {
		if p.Time <= 0 || p.Definition == "" {
			t.Errorf("part %+v", p)
		}
		sum += p.Time
		share += p.Share
	}
	if sum != int64(result.SimulatedTime) || math.Abs(share-1) > 1e-9 {
		t.Errorf("parts of %d ps in all, shares of %g; want %d ps", sum, share, result.SimulatedTime)
	}
	if len(s.Bounds) < 3 {
		t.Errorf("bounds: %+v", s.Bounds)
	}
	for _, b := range s.Bounds {
		if b.Time <= 0 || b.Time > int64(result.SimulatedTime) {
			t.Errorf("%s: a bound of %d ps for %d ps", b.What, b.Time, result.SimulatedTime)
		}
	}
	if got := s.HottestLink[0].Utilization; got != max(
		result.Links.MaxUtilization, result.HostLinks.MaxUtilization,
	) {
		t.Errorf("the hottest link has a utilization of %g", got)
	}
}

// TestSameReport checks that two reports of the same folder are identical.
func TestSameReport(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "torus")
	runInto(t, dir)
	first, second := mustMake(t, dir), mustMake(t, dir)
	a, err := first.Manifest.JSON()
	if err != nil {
		t.Fatal(err)
	}
	b, err := second.Manifest.JSON()
	if err != nil || !bytes.Equal(a, b) {
		t.Errorf("two manifests of one folder differ, %v", err)
	}
	for name, data := range first.Blobs.All() {
		if other, _ := second.Blobs.Get(name); !bytes.Equal(data, other) {
			t.Errorf("two blobs %s of one folder differ", name)
		}
	}
}

// TestBrokenFolders checks that a report names missing and damaged files, and shows the rest.
func TestBrokenFolders(t *testing.T) {
	f := func(problem string, harm func(dir string) error) *Run {
		t.Helper()
		dir := filepath.Join(t.TempDir(), "torus")
		runInto(t, dir)
		if err := harm(dir); err != nil {
			t.Fatal(err)
		}
		r := mustMake(t, dir)
		if all := strings.Join(r.Manifest.Problems, "\n"); !strings.Contains(all, problem) {
			t.Errorf("problems %q, want one with %q", all, problem)
		}
		return r.Manifest.Runs[0]
	}
	remove := func(name string) func(string) error {
		return func(dir string) error { return os.Remove(filepath.Join(dir, name)) }
	}
	write := func(name, text string) func(string) error {
		return func(dir string) error { return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666) }
	}
	half := func(name string) func(string) error {
		return func(dir string) error {
			info, err := os.Stat(filepath.Join(dir, name))
			if err != nil {
				return err
			}
			return os.Truncate(filepath.Join(dir, name), info.Size()/2)
		}
	}
	if run := f("result.json is missing", remove("result.json")); run.Summary != nil ||
		run.Tables["links"] == nil {
		t.Error("without a result: want no summary, but links")
	}
	if run := f("links.parquet", half("links.parquet")); run.Summary == nil || run.Tables["links"] != nil {
		t.Error("with half the links: want a summary and no links")
	}
	if run := f("links.parquet", write("links.parquet", "not Parquet")); run.Tables["routers"] == nil {
		t.Error("with broken links: want routers")
	}
	f("routers.parquet", remove("routers.parquet"))
	f("network.json", write("network.json", `{"schema": "fabricast.network/77"}`))
	f("result.json", write("result.json", `{"schema": "fabricast.result/2", "ranks": "many"}`))
	f("cannot be repeated", remove("experiment.yaml"))
	f("version", func(dir string) error {
		text, err := os.ReadFile(filepath.Join(dir, "result.json"))
		if err != nil {
			return err
		}
		text = bytes.Replace(text, []byte(`"version": "`), []byte(`"version": "0.0.`), 1)
		return os.WriteFile(filepath.Join(dir, "result.json"), text, 0o666)
	})
}

func TestNothingThere(t *testing.T) {
	for _, path := range []string{filepath.Join(t.TempDir(), "none"), t.TempDir()} {
		if _, err := Make(path); err == nil ||
			!strings.Contains(err.Error(), "neither the result of a run nor that of a sweep") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestOptimisticFigures checks that a report shows the costs of an optimistic mode, even if more
// windows were rolled back than committed.
func TestOptimisticFigures(t *testing.T) {
	e, err := fabricast.Parse("x.yaml", "network: {topology: {kind: torus, dims: [4, 4]}}\n"+
		"workload: {program: alltoall, size: 1KiB}\nengine: {mode: optimistic-check}\n")
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "run")
	result, err := e.Run(context.Background(), fabricast.Record(folder))
	if err != nil {
		t.Fatal(err)
	}
	result.Optimistic.Efficiency = -0.5
	text, err := result.JSON()
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, record.ResultFile), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]any{}
	for _, f := range mustMake(t, folder).Manifest.Runs[0].Summary.Figures {
		found[f.What] = f.Value
	}
	for what, want := range map[string]any{
		"event efficiency": -0.5, "committed windows": result.Optimistic.Committed,
		"rolled back windows":    result.Optimistic.RolledBack,
		"memory of saved states": result.Optimistic.SaveMemory,
	} {
		if found[what] != want {
			t.Errorf("%s is %v, want %v", what, found[what], want)
		}
	}
}

// TestInterruptedIsNoPrediction checks the report of an interrupted run: it names no slowest rank
// and no bounds, it shows how many ranks had ended, and the parts of its time add up.
func TestInterruptedIsNoPrediction(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "torus")
	runInto(t, dir)
	folder, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	b := &builder{reader: folder, folder: dir, blobs: newBlobs(), run: newRun(0, dir)}
	b.build()
	rapid.Check(t, func(t *rapid.T) {
		r := *b.result
		b.result = &r
		r.State, r.RanksEnded = "interrupted", rapid.IntRange(0, 23).Draw(t, "ended ranks")
		r.SimulatedTime = fabricast.Time(rapid.Int64Range(0, 1<<40).Draw(t, "time"))
		s := b.summary()
		share, told := 0.0, -1
		for _, p := range s.WhereItWent {
			share += p.Share
		}
		for _, f := range s.Figures {
			if f.What == "ended ranks" {
				told = f.Value.(int)
			}
		}
		if s.Time != SimulatedTime || s.SlowestRank != nil || len(s.Bounds) > 0 || told != r.RanksEnded ||
			math.Abs(share-1) > 1e-9 {
			t.Fatalf("%+v: %d of %d ranks ended, shares of %g", s, told, r.RanksEnded, share)
		}
	})
}
