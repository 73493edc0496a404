package reports_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/cli/clitest"
	"fabricast/internal/parquet"
	"fabricast/record"
	"fabricast/report/data"
	"fabricast/topology"
)

// recordedRun runs a small experiment and records all tables in a folder.
func recordedRun(t testing.TB, folder string, topology topology.Spec) {
	t.Helper()
	e := &fabricast.Experiment{
		Network:  experiment.Network{Topology: topology},
		Workload: experiment.Workload{Program: "alltoall", Algorithm: "simple-spread", Size: 2000},
		Record: experiment.Recording{
			Bins:    experiment.BinRecording{Interval: "100ns", Buffers: true},
			Buffers: experiment.BufferLogging{Routers: []int{0, 1}}, Messages: true, Timeline: true,
		},
	}
	if _, err := e.Run(t.Context(), fabricast.Record(folder)); err != nil {
		t.Fatal(err)
	}
}

// TestWholeFolders checks on all kinds of networks that no problem is reported for undamaged
// results.
func TestWholeFolders(t *testing.T) {
	torus := topology.TorusSpec{Dims: []int{3, 2}}
	for _, network := range []topology.Spec{
		torus,
		topology.MeshSpec{Dims: []int{2, 2, 2}},
		topology.HyperXSpec{Dims: []int{3, 2}},
		topology.FullSpec{Routers: 3},
		topology.KaryTreeSpec{K: 2, N: 3},
		topology.DragonflySpec{P: 1, A: 2, H: 1},
		topology.DragonflyPlusSpec{P: 1, Leaves: 2, Spines: 2, H: 1},
		topology.SlimFlySpec{Q: 3},
		topology.HierarchySpec{Block: torus, Outer: topology.MeshSpec{Dims: []int{2}}},
		topology.HierarchySpec{Block: topology.KaryTreeSpec{K: 2, N: 2}, Outer: topology.TorusSpec{Dims: []int{3}}},
	} {
		dir := filepath.Join(t.TempDir(), "run")
		recordedRun(t, dir, network)
		r, err := data.Make(dir)
		if err != nil || len(r.Manifest.Problems) > 0 || len(r.Manifest.Runs[0].Tables) < 9 {
			t.Errorf(
				"%T: %v, problems %q, %d tables",
				network, err, r.Manifest.Problems, len(r.Manifest.Runs[0].Tables),
			)
		}
		for _, format := range []string{"perfetto", "chrome", "paraver", "csv"} {
			if _, log, err := clitest.Command(t.Context(), "export", dir, "--format", format); err != nil ||
				log != "" {
				t.Errorf("%T: export to %s: %v %s", network, format, err, log)
			}
		}
	}
}

// filesOf returns the contents of the files in a folder.
func filesOf(t testing.TB, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = text
	}
	return files
}

// write writes files into a new folder.
func write(t *rapid.T, dir string, files map[string][]byte) {
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// readColumns lists, for tables that are read in pieces, the columns that a report reads.
var readColumns = map[string][]string{
	record.LinkBinsTable: {
		"link",
		"bin",
		"wire_bytes",
		"no_credit_ps",
		"busy_output_ps",
		"busy_crossbar_ps",
	},
	record.BufferBinsTable: {"router", "port", "vc", "bin", "mean_occupancy_bytes", "peak_occupancy_bytes"},
}

// column is a column of a table in memory.
type column struct {
	about  parquet.Column
	values parquet.Values
}

// columnsOf splits a table into its columns.
func columnsOf(t *rapid.T, text []byte) []column {
	f, err := parquet.Open(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	var list []column
	for _, about := range f.Columns {
		c := column{about: about}
		for batch, err := range f.Batches([]string{about.Name}, math.MaxInt) {
			if err != nil {
				t.Fatal(err)
			}
			v := &batch[0]
			c.values.Ints = append(c.values.Ints, v.Ints...)
			c.values.Floats = append(c.values.Floats, v.Floats...)
			c.values.Texts = append(c.values.Texts, v.Texts...)
		}
		list = append(list, c)
	}
	return list
}

// tableOf combines columns into a table.
func tableOf(t *rapid.T, columns []column) []byte {
	var b bytes.Buffer
	about := make([]parquet.Column, len(columns))
	for i := range columns {
		about[i] = columns[i].about
	}
	w := parquet.NewWriter(&b, about)
	for row := range columns[0].values.Len() {
		for i := range columns {
			switch v := &columns[i].values; {
			case v.Ints != nil:
				w.Add(i, v.Ints[row])
			case v.Floats != nil:
				w.Add(i, v.Floats[row])
			default:
				w.Add(i, v.Texts[row])
			}
		}
		if err := w.Rows(1); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// harmColumn damages a column of a table. It returns the name that a report must mention; "" if the
// damaged table may still be valid.
func harmColumn(t *rapid.T, files map[string][]byte, table string) (named string) {
	columns := columnsOf(t, files[table])
	i := rapid.IntRange(0, len(columns)-1).Draw(t, "column")
	c := &columns[i]
	named, c.about.Coding = c.about.Name, parquet.Plain
	n := c.values.Len()
	switch kind := rapid.SampledFrom([]string{"value", "value", "value", "type", "none", "rows"}).Draw(t, "harm of the column"); kind {
	case "value":
		at := rapid.IntRange(0, n-1).Draw(t, "row")
		read := readColumns[table]
		if read != nil && !slices.Contains(read, named) {
			named = ""
		}
		switch {
		case c.values.Ints != nil:
			c.about.Kind, c.about.Bits = parquet.Int64, 64
			c.values.Ints[at] = rapid.SampledFrom([]int64{-2, math.MinInt64, math.MaxInt64, -1 << 31}).
				Draw(t, "number")
			if slices.Contains([]string{"tag", "message"}, c.about.Name) {
				named = ""
			}
		case c.values.Floats != nil:
			c.about.Kind = parquet.Double
			c.values.Floats[at] = rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), -1e300, 1e300}).
				Draw(t, "number")
		default:
			c.values.Texts[at] = rapid.SampledFrom([]string{"", "\x1b[2J", strings.Repeat("long", 5000), "router"}).
				Draw(t, "text")
			named = ""
		}
	case "type":
		if c.values.Texts == nil {
			c.about.Kind, c.about.Bits, c.values = parquet.Text, 0, parquet.Values{Texts: make([]string, n)}
		} else {
			c.about.Kind, c.values = parquet.Double, parquet.Values{Floats: make([]float64, n)}
		}
	case "none":
		if named == "c6" || table == record.RanksTable {
			named = ""
		}
		columns = slices.Delete(columns, i, i+1)
	case "rows":
		named = ""
		from, to := rapid.IntRange(0, n).Draw(t, "first row"), rapid.IntRange(0, n).Draw(t, "row beyond")
		for k := range columns {
			v := &columns[k].values
			from, to := min(from, to), max(from, to)
			switch {
			case v.Ints != nil:
				v.Ints = v.Ints[from:to]
			case v.Floats != nil:
				v.Floats = v.Floats[from:to]
			default:
				v.Texts = v.Texts[from:to]
			}
		}
	}
	files[table] = tableOf(t, columns)
	return named
}

// harmJSON replaces a random value in a JSON file.
func harmJSON(t *rapid.T, text []byte) []byte {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return text
	}
	other := rapid.SampledFrom([]any{
		-1, -1e18, 1e300, int64(math.MaxInt64), 0.5, "", "\x1b[2J", nil, true, []any{}, []any{-1, "x"}, map[string]any{"a": 1},
	}).Draw(t, "value")
	set := func(any) {}
	for at := v; at != nil; {
		switch x := at.(type) {
		case map[string]any:
			if len(x) == 0 {
				at = nil
				continue
			}
			key := rapid.SampledFrom(slices.Sorted(maps.Keys(x))).Draw(t, "key")
			set, at = func(v any) { x[key] = v }, x[key]
		case []any:
			if len(x) == 0 {
				at = nil
				continue
			}
			i := rapid.IntRange(0, len(x)-1).Draw(t, "item")
			set, at = func(v any) { x[i] = v }, x[i]
		default:
			at = nil
		}
	}
	set(other)
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// harmBytes modifies or removes bytes of a file.
func harmBytes(t *rapid.T, text []byte) []byte {
	text = slices.Clone(text)
	if len(text) == 0 {
		return text
	}
	if rapid.Bool().Draw(t, "cut") {
		return text[:rapid.IntRange(0, len(text)-1).Draw(t, "size")]
	}
	for range rapid.IntRange(1, 8).Draw(t, "bytes") {
		at := rapid.IntRange(0, len(text)-1).Draw(t, "at")
		if rapid.Bool().Draw(t, "near the end") { // Parquet files have their footer at the end
			at = len(text) - 1 - at%min(len(text), 1500)
		}
		text[at] = rapid.Byte().Draw(t, "byte")
	}
	return text
}

// harm damages a folder. It returns the names that a report must mention.
func harm(t *rapid.T, files map[string][]byte) (named []string) {
	names := slices.Sorted(maps.Keys(files))
	var tables []string
	for _, name := range names {
		if filepath.Ext(name) == ".parquet" {
			tables = append(tables, name)
		}
	}
	switch rapid.SampledFrom([]string{"column", "column", "json", "bytes", "bytes", "delete", "swap"}).Draw(t, "harm") {
	case "column":
		table := rapid.SampledFrom(tables).Draw(t, "table")
		if c := harmColumn(t, files, table); c != "" {
			return []string{table, c}
		}
	case "json":
		name := rapid.SampledFrom([]string{record.ResultFile, record.NetworkFile, record.BinsFile}).
			Draw(t, "file")
		files[name] = harmJSON(t, files[name])
	case "bytes":
		name := rapid.SampledFrom(names).Draw(t, "file")
		files[name] = harmBytes(t, files[name])
	case "delete":
		delete(files, rapid.SampledFrom(names).Draw(t, "file"))
	case "swap":
		a, b := rapid.SampledFrom(tables).Draw(t, "table"), rapid.SampledFrom(tables).Draw(t, "other table")
		files[a], files[b] = files[b], files[a]
		if a != b {
			return []string{"cannot be read"}
		}
	}
	return nil
}

// damaged returns a property: every command that reads a folder tolerates any damage to it. The
// command either fails or shows the rest, and names the omitted parts.
func damaged(tb testing.TB) func(*rapid.T) {
	base := tb.TempDir()
	recordedRun(tb, filepath.Join(base, "whole"), topology.TorusSpec{Dims: []int{3, 2}})
	whole := filesOf(tb, filepath.Join(base, "whole"))
	return func(t *rapid.T) {
		dir, err := os.MkdirTemp(base, "harmed-")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		files := maps.Clone(whole)
		named := harm(t, files)
		path := filepath.Join(dir, "run")
		write(t, path, files)
		switch reader := rapid.SampledFrom([]string{"report", "report", "text", "compare", "export", "growing"}).Draw(t, "reader"); reader {
		case "report":
			shown(t, path, named)
		case "text":
			tolerated(t, "report", path, "--text")
		case "compare":
			tolerated(t, "compare", path, filepath.Join(base, "whole"))
		case "export":
			for _, format := range []string{"perfetto", "chrome", "paraver", "csv"} {
				tolerated(t, "export", path, "--format", format, "--out", filepath.Join(dir, "timeline"))
			}
		default:
			growing(t, dir, files)
		}
	}
}

// shown makes a report of a folder, which must mention the given names.
func shown(t *rapid.T, path string, named []string) {
	page := filepath.Join(filepath.Dir(path), "page.html")
	_, log, err := clitest.Command(t.Context(), "report", path, "-o", page)
	said := log + fmt.Sprint(err)
	if len(said) > 1<<16 {
		t.Fatalf("%d bytes of messages: %.2000q", len(said), said)
	}
	for _, name := range named {
		if !strings.Contains(said, name) {
			t.Fatalf("messages %q, expected one with %s", said, name)
		}
	}
	if _, none := os.Stat(page); (none == nil) != (err == nil) {
		t.Fatalf("messages %q, a page: %v", said, none)
	}
}

// tolerated runs a command on a folder. The command may fail, but only with a short message.
func tolerated(t *rapid.T, args ...string) {
	_, log, err := clitest.Command(t.Context(), args...)
	if said := log + fmt.Sprint(err); len(said) > 1<<16 {
		t.Fatalf("%d bytes of messages: %.2000q", len(said), said)
	}
}

// growing makes reports of a folder as if its run were in progress.
func growing(t *rapid.T, dir string, files map[string][]byte) {
	path := filepath.Join(dir, "on")
	delete(files, record.ResultFile)
	files[filepath.Join("link_bins", "0000.parquet")] = files[record.LinkBinsTable]
	files[record.ProgressFile] = fmt.Appendf(
		nil,
		`{"schema": "fabricast.progress/1", "state": "running", "process": %d}`,
		os.Getpid(),
	)
	about := files[record.BinsFile]
	if i := bytes.LastIndexByte(about, '}'); i > 0 {
		files[record.BinsFile] = append(slices.Clone(about[:i]), `, "parts": ["link_bins/0000.parquet"]}`...)
	}
	write(t, filepath.Join(dir, ".on.part-1", "result"), files)
	var g data.Growing
	for range 2 {
		r, err := g.Make(path)
		if err != nil {
			continue
		}
		if _, err := r.Manifest.JSON(); err != nil {
			t.Fatal(err)
		}
		for range r.Blobs.All() {
		}
	}
}

func TestDamagedFolders(t *testing.T) { rapid.Check(t, damaged(t)) }

// FuzzDamagedFolders is TestDamagedFolders as a fuzz test.
func FuzzDamagedFolders(f *testing.F) {
	source := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		choices := make([]byte, 2048)
		for i := range choices {
			choices[i] = byte(source.Uint32())
		}
		f.Add(choices)
	}
	f.Fuzz(rapid.MakeFuzz(damaged(f)))
}
