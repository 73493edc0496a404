package tune

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast"
	"fabricast/collective"
	"fabricast/collective/libraries"
	"fabricast/collective/tables"
	"fabricast/sweep"
)

var rewrite = flag.Bool("rewrite", false, "write the files of testdata")

// example is a tune that runs in a second.
func example() (string, *Spec) {
	return filepath.Join("..", "examples", "tune", "fat-tree.yaml"), &Spec{
		Kind: collective.KindAllreduce, Sizes: []int64{8, 1024, 65536, 1 << 20}, Ranks: []int{12, 16, 64},
		Segments: []int{8192}, Compare: []Table{{"openmpi", tables.Named("openmpi")}},
	}
}

// in returns a runner with a folder; "": none.
func in(folder string) Runner {
	return func(_ int, f *sweep.File) (*sweep.Table, error) {
		return f.Run(context.Background(), sweep.Options{Folder: folder})
	}
}

func run(t *testing.T, path string, spec *Spec, r Runner) *Result {
	t.Helper()
	tune, err := New(context.Background(), path, spec)
	if err != nil {
		t.Fatal(err)
	}
	result, err := tune.Run(r)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// TestExample: the tune of the example finds what it found before.
func TestExample(t *testing.T) {
	path, spec := example()
	r := run(t, path, spec, in(""))
	var text strings.Builder
	if err := r.Text(&text); err != nil {
		t.Fatal(err)
	}
	for i, format := range libraries.Formats() {
		if i < 2 {
			text.WriteString("\n" + format.File + "\n")
			if _, err := format.Write(&text, r.Decisions(0)); err != nil {
				t.Fatal(err)
			}
		}
	}
	golden := filepath.Join("testdata", "fat-tree.txt")
	if *rewrite {
		if err := os.WriteFile(golden, []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || text.String() != string(want) {
		t.Errorf("%s differs (%v); found:\n%s", golden, err, text.String())
	}
}

// TestSkipping: what is skipped cannot win: a tune that skips nothing finds the same, and every time
// is at least its bound.
func TestSkipping(t *testing.T) {
	path, spec := example()
	r := run(t, path, spec, in(""))
	spec.All = true
	all := run(t, path, spec, in(""))
	if r.Skipped == 0 || all.Skipped != 0 || all.Run != r.Run+r.Skipped {
		t.Errorf("%d points run and %d skipped; of all, %d run and %d skipped", r.Run, r.Skipped, all.Run, all.Skipped)
	}
	for i := range all.Cells {
		found, want := r.Cells[i].best(), all.Cells[i].best()
		if found.Algorithm != want.Algorithm || found.Time != want.Time {
			t.Errorf("%d bytes on %d ranks: %+v, want %+v", all.Cells[i].Bytes, all.Cells[i].Ranks, found, want)
		}
	}
}

// TestBounds: no time is below its bound, on machines of many kinds.
func TestBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		topology := rapid.SampledFrom([]string{
			"{kind: fat-tree, radix: 4, levels: 3}", "{kind: torus, dims: [4, 4]}", "{kind: fully-connected, routers: 4, hosts: 4}",
		}).Draw(t, "topology")
		text := "network:\n  topology: " + topology + "\n" +
			"  link: {bandwidth: " + rapid.SampledFrom([]string{"1GB/s", "7.3GB/s", "50GB/s", "3333MB/s"}).Draw(t, "link") + ", latency: 50ns}\n" +
			"  packet: {mtu: " + rapid.SampledFrom([]string{"256B", "1KiB", "4KiB"}).Draw(t, "mtu") + "}\n" +
			"node: {ranks: " + rapid.SampledFrom([]string{"1", "2"}).Draw(t, "ranks per node") +
			", nics: " + rapid.SampledFrom([]string{"1", "2"}).Draw(t, "nics") +
			", overhead: " + rapid.SampledFrom([]string{"0ns", "1ns", "700ns"}).Draw(t, "overhead") +
			", protocol: {eager: " + rapid.SampledFrom([]string{"1KiB", "1MiB"}).Draw(t, "eager") + "}}\n" +
			"workload: {program: barrier, iterations: " + rapid.SampledFrom([]string{"1", "3"}).Draw(t, "iterations") + "}\n" +
			rapid.SampledFrom([]string{"", "noise: {every: 10us, lose: 1us}\n", "imbalance: {width: 2us}\n"}).Draw(t, "noise")
		kind := rapid.SampledFrom(collective.Kinds()).Draw(t, "collective")
		folder, err := os.MkdirTemp("", "tune")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(folder)
		path := filepath.Join(folder, "machine.yaml")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		spec := &Spec{
			Kind: kind, Sizes: []int64{rapid.Int64Range(0, 20000).Draw(t, "bytes")},
			Ranks: []int{rapid.IntRange(1, 16).Draw(t, "ranks")}, Segments: []int{512}, Radixes: []int{3}, All: true,
		}
		tune, err := New(context.Background(), path, spec)
		if err != nil {
			t.Fatal(err)
		}
		r, err := tune.Run(in(""))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range r.Cells[0].Points {
			if p.Time < p.Bound {
				t.Fatalf("%s takes %d ps, below its bound of %d ps", p.Algorithm, p.Time, p.Bound)
			}
		}
	})
}

// TestBoundsOfDevices: messages of GPUs take no overhead, and a bound has none for them.
func TestBoundsOfDevices(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gpus.yaml")
	text := "network: {topology: {kind: fully-connected, routers: 8}}\nnode: {overhead: 20us}\nworkload: {program: barrier}\n"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	r := run(t, path, &Spec{
		Kind: collective.KindAllreduce, Sizes: []int64{8192}, Ranks: []int{8}, All: true,
		Algorithms: []collective.Algorithm{collective.NCCL, "ring"},
	}, in(""))
	for _, p := range r.Cells[0].Points {
		if p.Time < p.Bound || p.Bound == 0 {
			t.Errorf("%s takes %d ps, its bound is %d ps", p.Algorithm, p.Time, p.Bound)
		}
	}
}

// TestInterrupted: a tune that ends early goes on from there, and finds the same.
func TestInterrupted(t *testing.T) {
	path, spec := example()
	want := run(t, path, spec, in(""))
	folder := t.TempDir()
	tune, err := New(context.Background(), path, spec)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	_, err = tune.Run(func(_ int, f *sweep.File) (*sweep.Table, error) {
		return f.Run(ctx, sweep.Options{Folder: folder, Workers: 1, Progress: func(p sweep.Progress) {
			if p.Done == 5 {
				stop()
			}
		}})
	})
	var interrupted *sweep.InterruptedError
	if !errors.As(err, &interrupted) {
		t.Fatal(err)
	}
	kept := 0
	got := run(t, path, spec, func(_ int, f *sweep.File) (*sweep.Table, error) {
		last := 0
		table, err := f.Run(context.Background(), sweep.Options{Folder: folder, Progress: func(p sweep.Progress) { last = p.Kept }})
		kept += last
		return table, err
	})
	if kept < 5 {
		t.Errorf("%d points were kept, want 5", kept)
	}
	if a, b := decided(t, got), decided(t, want); a != b {
		t.Errorf("found %s, want %s", a, b)
	}
}

func decided(t *testing.T, r *Result) string {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestSVG: the picture is XML with a tile for each cell.
func TestSVG(t *testing.T) {
	path, spec := example()
	r := run(t, path, spec, in(""))
	picture := string(r.SVG())
	if n := strings.Count(picture, "<title>"); n != len(r.Cells) {
		t.Errorf("%d tiles, want %d", n, len(r.Cells))
	}
	d := xml.NewDecoder(strings.NewReader(picture))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// fastestIn returns the fastest algorithm of a cell that files of a format can name.
func fastestIn(t *testing.T, format *libraries.Format, kind collective.Kind, c *Cell) collective.Algorithm {
	t.Helper()
	for _, p := range c.Points {
		d := libraries.Decisions{Kind: kind, Bands: []libraries.Band{
			{Ranks: c.Ranks, Steps: []libraries.Step{{Ranking: []collective.Algorithm{p.Algorithm}}}},
		}}
		var b strings.Builder
		if _, err := format.Write(&b, []libraries.Decisions{d}); err != nil {
			continue
		}
		table, err := libraries.Read(format.File, b.String())
		if err != nil {
			t.Fatal(err)
		}
		if table.Choose(kind, tables.Call{Ranks: c.Ranks, Bytes: c.Bytes}) == p.Algorithm {
			return p.Algorithm
		}
	}
	t.Fatalf("%s has no algorithm of %d bytes on %d ranks", format.Name, c.Bytes, c.Ranks)
	return ""
}

// TestDecisionsAreRules: the table that is written chooses, for every cell, the fastest algorithm that
// the library has.
func TestDecisionsAreRules(t *testing.T) {
	path, spec := example()
	r := run(t, path, spec, in(""))
	for _, format := range libraries.Formats()[:4] {
		var b strings.Builder
		if _, err := format.Write(&b, r.Decisions(0)); err != nil {
			t.Fatal(err)
		}
		table, err := libraries.Read(format.File, b.String())
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Cells {
			c := &r.Cells[i]
			if got := table.Choose(spec.Kind, tables.Call{Ranks: c.Ranks, Bytes: c.Bytes}); got != fastestIn(t, &format, spec.Kind, c) {
				t.Errorf("%s, %d bytes on %d ranks: %s, want %s", format.Name, c.Bytes, c.Ranks, got, fastestIn(t, &format, spec.Kind, c))
			}
		}
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string][]int64{
		"8B:64B": {8, 16, 32, 64}, "8B:1KiB:8": {8, 64, 512, 1024}, "1KiB,0,8B": {0, 8, 1024}, "5": {5}, "4B:4B": {4},
	} {
		if got, err := ParseSizes(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "8B:", "0:8B", "8B:4B", "1B:2B:3:4", "1B:8B:1", "x", "4GiB", "-1", "1B:8B:y"} {
		if got, err := ParseSizes(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
	if got, err := ParseNumbers("16:1024:4,12"); err != nil || !slices.Equal(got, []int{12, 16, 64, 256, 1024}) {
		t.Errorf("%v, %v", got, err)
	}
}

// TestMistakes: a file or specification that is wrong is a configuration error.
func TestMistakes(t *testing.T) {
	for _, x := range []struct{ text, want string }{
		{"axes: []\nbase: x.yaml\n", "a sweep"},
		{"network: {topology: {kind: ring}}\n", "ring"},
		{"jobs: [{workload: {program: barrier}, ranks: 2}]\n", "without jobs"},
		{"network: {topology: {kind: torus, dims: [2, 2]}}\n", "ranks"},
	} {
		path := filepath.Join(t.TempDir(), "f.yaml")
		if err := os.WriteFile(path, []byte(x.text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := New(context.Background(), path, &Spec{Kind: "allreduce", Sizes: []int64{8}, Ranks: []int{64}})
		var wrong *fabricast.ConfigError
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%q: %v, want %q", x.text, err, x.want)
		}
	}
	for _, s := range []Spec{
		{Kind: "allreduced"},
		{Kind: "allreduce", Algorithms: []collective.Algorithm{"rings"}},
		{Kind: "allreduce", Radixes: []int{1}},
	} {
		if err := s.Check(); err == nil {
			t.Errorf("%+v is accepted", s)
		}
	}
}

// TestShapes: every shape has the decisions of a tune of the experiment with this shape alone.
func TestShapes(t *testing.T) {
	const before, after = "network: {topology: {kind: torus, dims: [", "]}}\nworkload: {program: barrier}\n"
	file := func(dims string) string {
		path := filepath.Join(t.TempDir(), "torus.yaml")
		if err := os.WriteFile(path, []byte(before+dims+after), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	spec := &Spec{Kind: collective.KindAlltoall, Sizes: []int64{64, 16384}, Fanouts: []int{2}}
	var err error
	if spec.Shapes, err = ParseShapes("4x4,8x2,3x5"); err != nil {
		t.Fatal(err)
	}
	all := run(t, file("2, 2"), spec, in(""))
	if want := []string{"4x4", "8x2", "3x5"}; !slices.Equal(all.Shapes, want) {
		t.Errorf("shapes %v, want %v", all.Shapes, want)
	}
	for i, shape := range spec.Shapes {
		own := *spec
		own.Shapes, own.Ranks = nil, []int{shape[0] * shape[1]}
		alone := run(t, file(strings.ReplaceAll(shape.String(), "x", ", ")), &own, in(""))
		if !reflect.DeepEqual(all.Decisions(i), alone.Decisions(0)) {
			t.Errorf("%s: %+v, alone %+v", shape, all.Decisions(i), alone.Decisions(0))
		}
		for j := range alone.Cells {
			a, b := alone.Cells[j], all.Cells[len(alone.Cells)*i+j]
			if a.Shape != "" || b.Shape != shape.String() || a.Ranks != b.Ranks || !reflect.DeepEqual(a.Points, b.Points) {
				t.Errorf("%s: %+v, alone %+v", shape, b, a)
			}
		}
	}
	var text strings.Builder
	if err := all.Text(&text); err != nil || !strings.Contains(text.String(), "8x2: 16") {
		t.Errorf("%v: %s", err, text.String())
	}
}

// TestWrongShapes: shapes that cannot be are refused with what was found.
func TestWrongShapes(t *testing.T) {
	for text, want := range map[string]string{
		"8x": `found "8x"`, "0x2": `found "0x2"`, "4x4,4x4": `found "4x4" twice`, "": `found ""`,
	} {
		if _, err := ParseShapes(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	path, spec := example() // a fat tree
	spec.Shapes = []Shape{{4, 4}}
	if _, err := New(context.Background(), path, spec); err == nil || !strings.Contains(err.Error(), "without dims") {
		t.Error(err)
	}
}
