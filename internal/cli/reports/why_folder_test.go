package reports_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fabricast/internal/cli/clitest"
	"fabricast/internal/cli/ending"
	"fabricast/record"
)

const (
	gathered = "network: {topology: {kind: mesh, dims: [4], hosts: 3}}\n" +
		"workload: {program: gather, size: 3KiB, algorithm: linear}\n"
	gatheredBesides = "network: {topology: {kind: mesh, dims: [4], hosts: 3}}\njobs:\n" +
		"- {name: a, ranks: 4, workload: {program: gather, size: 3KiB, algorithm: linear}}\n" +
		"- {name: b, ranks: 3, trace: t}\n" +
		"- {name: c, ranks: 4, traffic: {pattern: uniform, load: 30%}}\n"
)

// inFolderOf writes experiments to a folder, which is the current one, and returns a function that carries out
// commands, which must succeed.
func inFolderOf(t *testing.T, files map[string]string) (run func(args ...string) string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return func(args ...string) string {
		t.Helper()
		out, log, err := clitest.Command(t.Context(), args...)
		if err != nil {
			t.Fatalf("%v\n%s", err, log)
		}
		return out
	}
}

// contentsOf returns the contents of the files of a folder by their names.
func contentsOf(t *testing.T, folder string) map[string]string {
	t.Helper()
	contents := map[string]string{}
	for _, name := range contained(t, folder) {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		contents[name] = string(text)
	}
	return contents
}

func contained(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestWhyRepeats: of a run without the waits of messages, why tells what it tells of one with them, from any
// directory, of jobs, traces and traffic. It changes nothing in the folder, and leaves nothing beside it.
func TestWhyRepeats(t *testing.T) {
	run := inFolderOf(t, map[string]string{"alone.yaml": gathered, "jobs.yaml": gatheredBesides})
	run("run", "alone.yaml", "--set", "workload={program: ring, size: 1KiB}", "--set", "ranks=3", "--record", "trace", "--out", "t")
	for _, file := range []string{"alone.yaml", "jobs.yaml"} {
		folder := filepath.Join(t.TempDir(), "path")
		run("run", file, "--record", "causes", "--out", folder)
		run("run", file, "--record", "causes=full", "--out", file+".full")
		want := run("why", file+".full", "--json")
		before := contentsOf(t, folder)
		if _, found := before[record.WaitsTable]; found || !strings.Contains(want, "root of") {
			t.Fatalf("%s: the waits are known: %v; with them it says\n%s", file, found, want)
		}
		temp, elsewhere := t.TempDir(), t.TempDir()
		t.Setenv("TMPDIR", temp)
		here, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		t.Chdir(elsewhere)
		if got := run("why", folder, "--json"); got != want {
			t.Errorf("%s: found\n%s\nexpected\n%s", file, got, want)
		}
		t.Chdir(here)
		after := contentsOf(t, folder)
		for name, text := range after {
			if before[name] != text {
				t.Errorf("%s: %s is another", file, name)
			}
		}
		if left := contained(t, temp); len(after) != len(before) || len(left) > 0 {
			t.Errorf("%s: %d files have become %d, left %q", file, len(before), len(after), left)
		}
	}
}

// TestWhyDoesNotRepeat: a run of another experiment than that in the folder is told apart, and the path stays.
func TestWhyDoesNotRepeat(t *testing.T) {
	run := inFolderOf(t, map[string]string{"alone.yaml": gathered})
	run("run", "alone.yaml", "--record", "causes", "--out", "path")
	text := contentsOf(t, "path")[record.ExperimentFile]
	for changed, said := range map[string]string{
		strings.Replace(text, "size: 3KiB", "size: 4KiB", 1):      "another result hash",
		strings.Replace(text, "kind: mesh", "kind: labyrinth", 1): "labyrinth",
	} {
		if err := os.WriteFile(filepath.Join("path", record.ExperimentFile), []byte(changed), 0o666); err != nil {
			t.Fatal(err)
		}
		out, log, err := clitest.Command(t.Context(), "why", "path")
		if err != nil || !strings.Contains(out, "this run is not repeated for that: ") || !strings.Contains(out, said) {
			t.Errorf("%v, expected %q\n%s%s", err, said, out, log)
		}
	}
}

// TestWhyInterrupted: Ctrl-C ends the repetition of a run, and leaves nothing.
func TestWhyInterrupted(t *testing.T) {
	run := inFolderOf(t, map[string]string{"busy.yaml": "network: {topology: {dims: [4, 4, 4]}}\n" +
		"workload: {program: alltoall, algorithm: ring, size: 8KiB}\n"})
	run("run", "busy.yaml", "--record", "causes", "--out", "path")
	before, temp := len(contained(t, "path")), t.TempDir()
	t.Setenv("TMPDIR", temp)
	ctx, interrupt := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, _, err := clitest.Command(ctx, "why", "path")
		ended <- err
	}()
	for {
		if again, _ := filepath.Glob(filepath.Join(temp, "fabricast-*", ".again.part-*")); len(again) > 0 {
			break
		}
		select {
		case err := <-ended:
			t.Fatalf("the run is not repeated: %v", err)
		case <-time.After(time.Millisecond):
		}
	}
	interrupt()
	if err := <-ended; ending.Code(err) != ending.Interrupted {
		t.Errorf("it ends with %v", err)
	}
	if left := contained(t, temp); len(left) > 0 || len(contained(t, "path")) != before {
		t.Errorf("left %q", left)
	}
}
