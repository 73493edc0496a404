package replay_test

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/input"
	"fabricast/replay"
	"fabricast/topology"
	"fabricast/trace"
	"fabricast/trace/convert"
	"fabricast/trace/formats"
	"fabricast/trace/summary"
)

// samples returns the folders of sample traces in all formats, each in its own folder.
func samples(t *testing.T) (folders []string) {
	t.Helper()
	root := t.TempDir()
	for _, name := range []string{
		"allprof/ring-4", "bigsim/jacobi2d-32", "chakra/ring_allreduce-8", "chakra/ring_allreduce-8-json", "dumpi/p2p-4", "goal", "otf2/stencil4d-32",
	} {
		folder := filepath.Join(root, strings.ReplaceAll(name, "/", "-"))
		if err := os.CopyFS(folder, os.DirFS("../trace/testdata/"+name)); err != nil {
			t.Fatal(err)
		}
		folders = append(folders, folder)
	}
	source, err := formats.Open("../trace/testdata/otf2/stencil4d-32", trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"own/a.fbt", "own-otf2/a.otf2", "ti/a.txt", "binary/a.bin"} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if _, err := convert.Write(path, source, convert.Part{}); err != nil {
			t.Fatal(err)
		}
		if name == "ti/a.txt" || name == "binary/a.bin" {
			folders = append(folders, path)
		} else {
			folders = append(folders, filepath.Dir(path))
		}
	}
	return folders
}

// filesOf returns the files of a trace by kind. Files whose names differ only in numbers are of the
// same kind.
func filesOf(t *testing.T, path string) map[string][]string {
	t.Helper()
	kinds := map[string][]string{}
	if err := filepath.WalkDir(path, func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			kind := strings.TrimRight(strings.TrimLeft(filepath.Base(name), "0123456789"), "0123456789")
			if before, after, found := strings.Cut(kind, "-"); found {
				kind = before + strings.TrimLeft(after, "0123456789")
			}
			kinds[kind] = append(kinds[kind], name)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return kinds
}

// harmed returns a damaged copy of a file: truncated, or with bytes changed, removed or inserted.
func harmed(t *rapid.T, whole []byte) []byte {
	n := len(whole)
	at := func(label string) int {
		if rapid.Bool().Draw(t, "near the beginning") { // in the header
			return rapid.IntRange(0, min(n-1, 100)).Draw(t, label)
		}
		return rapid.IntRange(0, n-1).Draw(t, label)
	}
	switch rapid.SampledFrom([]string{"cut", "cut", "bits", "bytes", "missing", "more"}).Draw(t, "harm") {
	case "cut":
		return whole[:at("length")]
	case "bits":
		b := slices.Clone(whole)
		b[at("where")] ^= byte(rapid.IntRange(1, 255).Draw(t, "bits"))
		return b
	case "bytes":
		b := slices.Clone(whole)
		copy(b[at("where"):], rapid.SliceOfN(rapid.Byte(), 1, 9).Draw(t, "bytes"))
		return b
	case "missing":
		from := at("where")
		return slices.Delete(slices.Clone(whole), from, min(n, from+rapid.IntRange(1, 40).Draw(t, "bytes")))
	}
	return slices.Insert(slices.Clone(whole), at("where"), rapid.SliceOfN(rapid.Byte(), 1, 9).Draw(t, "bytes")...)
}

// TestDamaged damages a file of each kind, in traces of all formats, at a random offset. The damage
// must be reported with its offset: when the trace is opened or summarized, when it is replayed or,
// in a partial replay, in the report. The only other permitted outcomes are a deadlock and an error
// about an invalid program.
func TestDamaged(t *testing.T) {
	paths := samples(t)
	files := map[string]map[string][]string{}
	for _, path := range paths {
		files[path] = filesOf(t, path)
	}
	met := map[string]int{}
	one := func(t *rapid.T) {
		path := rapid.SampledFrom(paths).Draw(t, "trace")
		kind := rapid.SampledFrom(slices.Sorted(maps.Keys(files[path]))).Draw(t, "kind of file")
		victim := rapid.SampledFrom(files[path][kind]).Draw(t, "file")
		whole, err := os.ReadFile(victim)
		if err != nil {
			t.Fatal(err)
		}
		if len(whole) == 0 {
			return
		}
		write := func(b []byte) {
			if err := os.WriteFile(victim, b, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		write(harmed(t, whole))
		defer write(whole)
		source, err := formats.Open(path, trace.Options{})
		if err != nil {
			placed(t, err)
			return
		}
		if source.Ranks() > 72 {
			return
		}
		s, err := summary.Read(t.Context(), source, 1, 4)
		if err != nil {
			placed(t, err)
		} else {
			for _, err := range s.Damage {
				placed(t, err)
			}
		}
		partial := rapid.Bool().Draw(t, "partial")
		met[path] += playedDamaged(t, source, partial)
	}
	rapid.Check(t, one)
	more := rapid.Custom(func(t *rapid.T) struct{} { one(t); return struct{}{} })
	for i := 0; len(met) < 2 && i < 100; i++ { // few draws may all be met before the replay
		more.Example(i)
	}
	t.Log(met)
	if len(met) < 2 {
		t.Errorf("hardly any damage was met: %v", met)
	}
}

// placed checks that an error states the damaged file.
func placed(t *rapid.T, err error) {
	var damage *trace.Error
	var refused *input.Error
	if !(errors.As(err, &damage) && damage.File != "") && !(errors.As(err, &refused) && refused.Path != "") {
		t.Fatalf("%T without a place: %v", err, err)
	}
}

// playedDamaged replays a trace that may be damaged, and returns the number of reported ranks with
// damage.
func playedDamaged(t *rapid.T, source trace.Trace, partial bool) int {
	job, err := replay.New(source, replay.Options{Partial: partial})
	if err != nil {
		t.Fatal(err)
	}
	run := fabricast.Experiment{
		Network: experiment.Network{Topology: topology.DragonflySpec{P: 2, A: 4, H: 2}},
		Ranks:   source.Ranks(), Launch: job.Launcher(), TwoSided: true,
	}
	_, err = run.Run(t.Context(), fabricast.Workers(1))
	var wrong *trace.Error
	if errors.As(err, &wrong) {
		if partial {
			t.Fatalf("not replayed up to the damage: %v", err)
		}
		placed(t, err)
		return 1
	}
	var invariant *fabricast.InternalError
	if errors.As(err, &invariant) {
		t.Fatal(err)
	}
	damage := job.Report().Damage
	for i, d := range damage {
		if i > 0 && damage[i-1].Rank >= d.Rank {
			t.Fatalf("not by rank: %v", damage)
		}
		if d.Err.File == "" || !strings.Contains(d.Error(), d.Err.File) ||
			(d.Read == 0) != (d.Last == "") && d.Read != 0 {
			t.Fatalf("%+v", d)
		}
	}
	return len(damage)
}
