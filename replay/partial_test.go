package replay_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast"
	"fabricast/replay"
	"fabricast/trace"
	"fabricast/trace/convert"
	"fabricast/trace/formats"
)

// samples are traces of all formats, in folders of their own.
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
	for _, name := range []string{"own/a.fbt", "own-otf2/a.otf2", "ti/a.txt"} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if _, err := convert.Write(path, source, convert.Part{}); err != nil {
			t.Fatal(err)
		}
		if name == "ti/a.txt" {
			folders = append(folders, path)
		} else {
			folders = append(folders, filepath.Dir(path))
		}
	}
	return folders
}

// filesOf are the files of a trace.
func filesOf(t *testing.T, path string) (files []string) {
	t.Helper()
	if err := filepath.WalkDir(path, func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			files = append(files, name)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return files
}

// TestPartial cuts a file of a trace of any format, or changes a byte of it. What is wrong is an
// error with its place when the trace is opened, or it is replayed up to there, and said with the
// rank, the place and what came before; nothing else may come of it but a deadlock or a program that
// makes no sense.
func TestPartial(t *testing.T) {
	paths := samples(t)
	files := map[string][]string{}
	for _, path := range paths {
		files[path] = filesOf(t, path)
	}
	e := fabricast.Experiment{
		Network: fabricast.Network{Topology: fabricast.Topology{Kind: "dragonfly", P: 2, A: 4, H: 2}},
	}
	cut := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.SampledFrom(paths).Draw(t, "trace")
		victim := rapid.SampledFrom(files[path]).Draw(t, "file")
		whole, err := os.ReadFile(victim)
		if err != nil {
			t.Fatal(err)
		}
		if len(whole) == 0 {
			return
		}
		damaged := append([]byte(nil), whole...)
		isCut := rapid.Bool().Draw(t, "cut")
		if isCut {
			damaged = damaged[:rapid.IntRange(0, len(damaged)-1).Draw(t, "length")]
		} else {
			damaged[rapid.IntRange(0, len(damaged)-1).Draw(t, "where")] ^= byte(rapid.IntRange(1, 255).Draw(t, "bits"))
		}
		write := func(b []byte) {
			if err := os.WriteFile(victim, b, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		write(damaged)
		defer write(whole)
		source, err := formats.Open(path, trace.Options{})
		if err != nil {
			return // tests of the formats look at these errors
		}
		if source.Ranks() > 72 {
			return
		}
		job, err := replay.New(source, replay.Options{Partial: true})
		if err != nil {
			t.Fatal(err)
		}
		run := e
		run.Ranks, run.Launch, run.TwoSided = source.Ranks(), job.Launcher(), true
		_, err = run.Run(t.Context(), fabricast.Workers(1))
		var wrong *trace.Error
		if errors.As(err, &wrong) {
			t.Fatalf("%s is not replayed up to there: %v", victim, err)
		}
		var invariant *fabricast.InternalError
		if errors.As(err, &invariant) {
			t.Fatal(err)
		}
		for i, d := range job.Report().Damage {
			if i > 0 && job.Report().Damage[i-1].Rank >= d.Rank {
				t.Fatalf("not by rank: %v", job.Report().Damage)
			}
			if d.Err.File == "" || !strings.Contains(d.Error(), d.Err.File) ||
				(d.Read == 0) != (d.Last == "") && d.Read != 0 {
				t.Fatalf("%+v", d)
			}
			cut[path]++
		}
	})
	t.Log(cut)
	if len(cut) < 2 {
		t.Errorf("hardly any damage was met: %v", cut)
	}
}
