package sweep_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"fabricast"
	"fabricast/sweep"
)

// open writes a sweep to a file and reads it.
func open(t *testing.T, text string) (*sweep.File, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sweep.yaml")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return sweep.Open(path)
}

// run runs a sweep that must succeed and returns its table.
func run(t *testing.T, text string, o sweep.Options) *sweep.Table {
	t.Helper()
	f, err := open(t, text)
	if err != nil {
		t.Fatal(err)
	}
	table, err := f.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// programs is a sweep of a collective's time over sizes and networks.
const programs = `
title: all-to-all
experiment:
  network: {topology: {dims: [2, 2]}}
  workload: {program: alltoall, algorithm: bruck}
axes:
  - name: network
    cases:
      - {label: ring, set: {network.topology.dims: [4]}, with: {routers: "4"}}
      - {label: square, set: {network.topology.dims: [2, 2]}, with: {routers: "4"}}
  - {field: workload.size, from: 64B, to: 1024B, factor: 4}
only: network == "ring" || size < 1000
columns: [simulated_time_ps, messages, {name: each_ns, value: simulated_time_ps / messages / 1000}, {name: twice, value: 2 * each_ns}]
quick:
  set: {workload.algorithm: ring}
  axes: [{field: workload.size, values: [1B]}]
`

func TestTable(t *testing.T) {
	table := run(t, programs, sweep.Options{Workers: 3})
	var text bytes.Buffer
	if err := table.CSV(&text); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&text).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(rows[0], " "); got != "network size simulated_time_ps messages each_ns twice" {
		t.Errorf("columns %s", got)
	}
	var points []string
	for _, r := range rows[1:] {
		points = append(points, r[0]+" "+r[1])
	}
	if got := strings.Join(points, ", "); got != "ring 64, ring 256, ring 1024, square 64, square 256" {
		t.Errorf("points %s", got)
	}
	if r := table.Rows[2]; r.Cells[3] != 8.0 || r.Cells[5] != 2*r.Cells[4].(float64) || r.Result.Ranks != 4 {
		t.Errorf("row %v of %d ranks", r.Cells, r.Result.Ranks)
	}
	if quick := run(t, programs, sweep.Options{Quick: true}); len(quick.Rows) != 2 ||
		quick.Rows[0].Cells[1] != 1.0 {
		t.Errorf("the quick form has %d rows: %v", len(quick.Rows), quick.Rows[0].Cells)
	}
}

func TestParquet(t *testing.T) {
	table := run(t, programs, sweep.Options{})
	var file bytes.Buffer
	if err := table.Parquet(&file); err != nil {
		t.Fatal(err)
	}
	type row struct {
		Network string   `parquet:"network"`
		Size    float64  `parquet:"size"`
		Time    *float64 `parquet:"simulated_time_ps"`
	}
	rows, err := parquet.Read[row](bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil || len(rows) != len(table.Rows) {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for i, r := range rows {
		cells := table.Rows[i].Cells
		if r.Network != cells[0] || r.Size != cells[1] || *r.Time != cells[2] {
			t.Errorf("row %d: %v, want %v", i, r, cells)
		}
	}
}

// TestResume checks that an interrupted sweep loses no results and runs no point twice.
func TestResume(t *testing.T) {
	folder := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	f, err := open(t, programs)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Run(ctx, sweep.Options{Workers: 1, Folder: folder, Progress: func(p sweep.Progress) {
		if p.Done == 2 {
			cancel()
		}
	}})
	var interrupted *sweep.InterruptedError
	if !errors.As(err, &interrupted) || interrupted.Done != 2 || interrupted.Points != 5 ||
		!errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	var last sweep.Progress
	table := run(
		t,
		programs,
		sweep.Options{Workers: 2, Folder: folder, Progress: func(p sweep.Progress) { last = p }},
	)
	if last.Done != 5 || last.Kept != 2 {
		t.Errorf("%d of %d points from before, want 2", last.Kept, last.Done)
	}
	fresh := run(t, programs, sweep.Options{})
	for i := range fresh.Rows {
		if a, b := fresh.Rows[i].Result, table.Rows[i].Result; a.Hash != b.Hash ||
			a.SimulatedTime != b.SimulatedTime {
			t.Errorf("row %d: %s after an interruption, %s without", i, b.Hash, a.Hash)
		}
	}
}

// An interrupted Survey returns an InterruptedError that names its progress.
func TestInterruptedCheck(t *testing.T) {
	f, err := open(t, programs)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var interrupted *sweep.InterruptedError
	if _, err = f.Survey(ctx); !errors.As(err, &interrupted) || !interrupted.Listing ||
		!errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestMistakes(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		file, err := open(t, text)
		if err == nil {
			var table *sweep.Table
			if table, err = file.Run(context.Background(), sweep.Options{}); err == nil {
				_, err = table.Judge()
			}
		}
		var config *fabricast.ConfigError
		if !errors.As(err, &config) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want a ConfigError with %q", err, want)
		}
	}
	const base = "experiment: {network: {topology: {dims: [4]}}, traffic: {load: 10%}}\n"
	f("axes: []", "experiment: found nothing")
	f("base: x.yaml", "x.yaml: found no such file")
	f(base+"base: x.yaml", "found both a base and an experiment")
	f(base+"axes: [{field: traffic.load}]", "axes[0].values: found both or neither")
	f(
		base+"axes: [{field: traffic.load, from: 10%, to: 1, step: 1%}]",
		"axes[0].to: found 1, expected a number in the unit of from %",
	)
	f(base+"axes: [{field: traffic.load, from: 1, to: 2, step: 0}]", "axes[0].step: found 0")
	f(
		base+"axes: [{field: traffic.load, from: 1%, to: 2%, factor: 1}]",
		"sweep.yaml:2:56: axes[0].factor: found 1",
	)
	f(
		base+"axes: [{field: traffic.load, values: [10%, 20%, 10%]}]",
		"sweep.yaml:2:49: axes[0].values[2]: found 10% a second time",
	)
	f(base+"axes: [{field: traffic.load, values: [10%, 0.1]}]", "axes[0].values[1]: found 0.1 a second time")
	f(base+"axes: [{name: x, cases: [{label: a}, {label: a}]}]", "axes[0].cases[1]: found a a second time")
	f(
		base+"axes: [{field: traffic.load, values: [1%]}, {field: traffic.load, values: [1%]}]",
		"load a second time",
	)
	f(
		base+"axes: [{field: traffic.lood, values: [1%]}]",
		"sweep.yaml:2:39: traffic.lood: found unknown field",
	)
	f(
		base+"axes: [{field: network.router.vcs, values: [2, 1]}]",
		"sweep.yaml:2:48: network.router.vcs: found 1",
	)
	f(
		base+"axes: [{field: traffic.load, values: [1%]}]\nonly: lood > 1",
		"only: found lood > 1 (unknown name lood",
	)
	f(base+"axes: [{field: traffic.load, values: [1%]}]\nonly: load > 1", "no point is left")
	f(
		base+"axes: [{field: traffic.load, values: [1%]}]\ncolumns: [speed]",
		"columns[0]: found speed (unknown name speed",
	)
	findings := base + "axes: [{field: traffic.load, values: [1%]}]\nfindings:\n  - "
	f(findings+"{value: accepted, at_least: 0}", "findings[0].that: found nothing, expected in words")
	f(findings+"{value: accepted, is: 1, within: 1, at_least: 0}", "findings[0].is: found is and a bound")
	f(
		findings+"{value: accepted, at_least: 0, compare: {axis: load, of: 1%, with: 3%}}",
		"findings[0].compare.with: found 3%, expected a value of the axis load",
	)
	f(findings+"{value: accepted}", "findings[0]: found nothing, expected one of is, at_least and at_most")
	f(findings+"{value: accepted, is: 1}", "findings[0].within: found nothing")
	f(
		findings+"{value: accepted, rises: speed}",
		"findings[0].rises: found speed, expected the name of an axis",
	)
	f(findings+"{value: accepted, of: most, at_least: 1}", "findings[0].of: found most")
}

// A search with a fine resolution tries loads with few digits, and states why a load is too high.
func TestSaturationSteps(t *testing.T) {
	e, err := fabricast.Parse(
		"x.yaml",
		"network: {topology: {dims: [4]}}\ntraffic: {load: 10%, pattern: tornado}\n",
	)
	if err == nil {
		err = e.Resolve()
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := sweep.Saturate(
		context.Background(),
		e,
		sweep.Search{From: 90 * fabricast.Percent, To: fabricast.Whole, Resolution: fabricast.Percent / 2},
	)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range s.Steps {
		if len(x.Load.String()) > len("0.999") || x.Stable != (x.SaturatedBy == "") {
			t.Errorf("step %+v", x)
		}
	}
}

// Points are compared to one balanced experiment. It runs once, and is also a point if the sweep
// contains it.
func TestBaselinesRunOnce(t *testing.T) {
	text := `
title: imbalance
experiment:
  network: {topology: {dims: [4, 2]}}
  workload: {program: alltoall, size: 1kB}
axes:
  - {field: workload.algorithm, values: [ring, bruck]}
  - {name: f, field: imbalance.width, values: VALUES}
columns: [balanced_ps, slowdown]
`
	for values, baselines := range map[string]int{"[2%, 4%]": 0, "[2%, 0%, 4%]": 2} {
		folder := t.TempDir()
		table := run(t, strings.Replace(text, "VALUES", values, 1), sweep.Options{Workers: 3, Folder: folder})
		files, err := filepath.Glob(filepath.Join(folder, "points", "*.json"))
		if err != nil || len(files) != 6 {
			t.Errorf("%s: %d results, %v, expected 6", values, len(files), err)
		}
		balanced := map[any]any{}
		for _, r := range table.Rows {
			if r.Result.Imbalance == nil {
				baselines--
				if r.Cells[3] != 1.0 {
					t.Errorf("the balanced one is slower than itself: %v", r.Cells)
				}
			}
			algorithm := r.Cells[0]
			if before, ok := balanced[algorithm]; ok && r.Cells[2] != before {
				t.Errorf("%v: balanced times %v and %v", algorithm, before, r.Cells[2])
			}
			balanced[algorithm] = r.Cells[2]
		}
		if baselines != 0 || balanced["ring"] == balanced["bruck"] {
			t.Errorf("%s: %d balanced points too few, times %v", values, baselines, balanced)
		}
	}
}

// The progress of a sweep weighs points by their weights, and excludes points of an earlier run
// from Fresh.
func TestProgressByWeight(t *testing.T) {
	folder := t.TempDir()
	text := programs + "weight: size\n"
	of := func(text string) (last sweep.Progress) {
		run(t, text, sweep.Options{Workers: 1, Folder: folder, Progress: func(p sweep.Progress) { last = p }})
		return last
	}
	near := func(got, want float64) bool { return got > want-1e-9 && got < want+1e-9 }
	small := of(strings.Replace(text, "to: 1024B", "to: 256B", 1))
	if !near(small.Work, 1) || !near(small.Fresh, 1) {
		t.Errorf("the first run ends at %+v", small)
	}
	// Of the weight 64 + 256 + 1024 + 64 + 256, 1024 is new.
	if p := of(text); !near(p.Work, 1) || !near(p.Fresh, 1024.0/1664) || p.Done != 5 || p.Kept != 4 {
		t.Errorf("the second run ends at %+v", p)
	}
	for _, weight := range []string{"size - 64", "network", "size +"} {
		f, err := open(t, programs+"weight: "+weight+"\n")
		if err != nil {
			t.Fatal(err)
		}
		var config *fabricast.ConfigError
		if _, err := f.Points(context.Background(), false, false); !errors.As(err, &config) ||
			!strings.Contains(err.Error(), "weight: found "+weight) {
			t.Errorf("%s: %v", weight, err)
		}
	}
}

// A column can show a figure of another row.
func TestFiguresOfOtherRows(t *testing.T) {
	text := strings.Replace(
		programs,
		"columns: [simulated_time_ps,",
		"columns: [simulated_time_ps, {name: small, value: simulated_time_ps, at: {size: 64B}}, {name: more, value: simulated_time_ps / small},",
		1,
	)
	table := run(t, text, sweep.Options{})
	for i, r := range table.Rows {
		first := table.Rows[i/3*3]
		if r.Cells[3] != first.Cells[2] || r.Cells[4] != r.Cells[2].(float64)/first.Cells[2].(float64) {
			t.Errorf("row %d: %v, the first of its network is %v", i, r.Cells, first.Cells)
		}
	}
	nowhere := run(t, strings.Replace(text, "size: 64B}", "size: 65B}", 1), sweep.Options{})
	if got := sweep.Cell(nowhere.Rows[0].Cells[3], 0); got != "" {
		t.Errorf("the figure of a row that there is not is %s", got)
	}
	f, err := open(t, strings.Replace(text, "{size: 64B}", "{length: 64B}", 1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Run(context.Background(), sweep.Options{}); err == nil ||
		!strings.Contains(err.Error(), "columns[1].at: found length, expected the name of an axis") {
		t.Error(err)
	}
}

// A plot without a title has the title of the sweep.
func TestHeadingOfAPlot(t *testing.T) {
	pictures, err := run(t, programs+"plots: [{name: p, x: size, y: messages}]\n", sweep.Options{}).Pictures()
	if err != nil || !bytes.Contains(pictures[0].SVG, []byte(">all-to-all</text>")) {
		t.Errorf("no heading in %s, %v", pictures[0].SVG, err)
	}
}

// Chart axes without a title of their own have suitable units, also in Curves.
func TestUnitsOfAPlot(t *testing.T) {
	table := run(
		t,
		programs+"plots: [{name: p, x: size, y: simulated_time_ps}, {name: q, x: size, x_title: Size, y: simulated_time_ps / 1}]\n",
		sweep.Options{},
	)
	curves, err := table.Curves()
	if err != nil {
		t.Fatal(err)
	}
	p, q := curves[0], curves[1]
	if p.X.Title != "size (KiB)" || p.Y.Title != "simulated time (us)" || q.X.Title != "Size" ||
		q.Y.Title != "simulated_time_ps / 1" {
		t.Errorf("titles %q, %q, %q, %q", p.X.Title, p.Y.Title, q.X.Title, q.Y.Title)
	}
	if p, q := p.Series[0].Points[0], q.Series[0].Points[0]; p.X != q.X/1024 || p.Y != q.Y/1e6 {
		t.Errorf("points %v in KiB and us, %v in bytes and ps", p, q)
	}
}

// A plot has a curve for each value of the axes listed in series.
func TestSeriesOfAPlot(t *testing.T) {
	for series, want := range map[string]string{"": "ring, size 64B", "series: [network], ": ">ring<"} {
		table := run(t, programs+"plots: [{name: p, "+series+"x: size + 1, y: messages}]\n", sweep.Options{})
		pictures, err := table.Pictures()
		if err != nil || !bytes.Contains(pictures[0].SVG, []byte(want)) {
			t.Errorf("%q: no curve %s in %s, %v", series, want, pictures[0].SVG, err)
		}
	}
	f, err := open(t, programs+"plots: [{series: [length], x: size, y: messages}]\n")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Run(context.Background(), sweep.Options{}); err == nil ||
		!strings.Contains(err.Error(), "plots[0].series[0]: found length, expected the name of an axis") {
		t.Error(err)
	}
}

// bounds is the beginning of a short sweep, to which tests append lines.
const bounds = `
experiment:
  network: {topology: {dims: [2, 2]}}
  workload: {program: barrier}
`

// refusedWith checks that a sweep is refused, when it is read, listed or run, with an error that
// contains want.
func refusedWith(t *testing.T, text, want string) {
	t.Helper()
	f, err := open(t, text)
	if err == nil {
		_, err = f.Survey(context.Background())
	}
	if err == nil {
		_, err = f.Run(context.Background(), sweep.Options{Workers: 1})
	}
	var config *fabricast.ConfigError
	if !errors.As(err, &config) || !strings.Contains(err.Error(), want) {
		t.Errorf("%s\ngot %v, want %q", text, err, want)
	}
}

// TestTooManyPoints checks that a sweep with too many points is refused at once.
func TestTooManyPoints(t *testing.T) {
	axes := "axes:\n"
	for _, field := range []string{"workload.repeat", "seed", "node.overhead"} {
		axes += "  - {field: " + field + ", from: 1, to: 1000, step: 1}\n"
	}
	refusedWith(t, bounds+axes, "found more than 1,000,000 combinations of values")
}

// TestPlainExpressions checks that expressions that could run forever or fill the memory are
// refused in every field.
func TestPlainExpressions(t *testing.T) {
	axis := bounds + "axes: [{field: seed, values: [1, 2]}]\n"
	for text, want := range map[string]string{
		"$env": "it has $env", "[$env]": "it has $env", `$env["seed"]`: "it has $env",
		"let a = seed; a": "variables of its own", "1; 2": "variables of its own", "reduce(1..9, #acc + #)": "it has a",
		"all(1..9, # > 0)": "it has a", "len(1..1000000000)": "a range", `repeat("x", 9)`: "it has repeat",
		`replace("x", "x", "xx") == "x"`: "it has replace", `toJSON("x") == "x"`: "it has toJSON",
		strings.Repeat("(", 3000) + strings.Repeat("-", 3000): "longer than 4096 bytes",
	} {
		for _, place := range []string{"only: '%'", "weight: '%'", "columns: [{name: c, value: '%'}]", "plots: [{x: '%', y: seed}]", "findings: [{that: x, value: '%', at_most: 1}]"} {
			refusedWith(t, axis+strings.ReplaceAll(place, "%", text)+"\n", want)
		}
	}
	refusedWith(t, axis+"columns: [link_classes]\n", "it gives several values")
	refusedWith(t, axis+"columns: [{name: c, value: '[1, 2]'}]\n", "it gives several values")
}

// TestPlotNames checks that the names of plots cannot denote files outside the folder.
func TestPlotNames(t *testing.T) {
	axis := bounds + "axes: [{field: seed, values: [1, 2]}]\n"
	for _, name := range []string{"../evil", "/tmp/evil", "a/b", `a\\b`, "..", ".hidden", "nul", `a\x1b`, "a\\n"} {
		refusedWith(t, axis+"plots: [{name: \""+name+"\", x: seed, y: seed}]\n", "plots[0].name: found ")
	}
	refusedWith(
		t,
		axis+"plots: [{name: a, x: seed, y: seed}, {name: A, x: seed, y: seed}]\n",
		"found A a second time",
	)
	refusedWith(
		t,
		axis+"plots: [{name: plot-2, x: seed, y: seed}, {x: seed, y: seed}]\n",
		"found plot-2 a second time",
	)
}
