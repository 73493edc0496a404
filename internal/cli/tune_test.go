package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fabricast/internal/cli/ending"
)

// slowMachine is an experiment whose points take a tenth of a second each.
const slowMachine = "network: {topology: {kind: torus, dims: [4, 4, 4]}}\n" +
	"workload: {program: alltoall, iterations: 2}\nranks: 64\n"

// tuneWords are the words of a tune of eight points or so.
var tuneWords = []string{
	"--collective", "alltoall", "--sizes", "4KiB:16KiB", "--algorithms", "ring,bruck,pairwise", "--json",
}

// tuneAlone writes the machine, and runs its tune in one process.
func tuneAlone(t *testing.T) (path string, want []byte) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "slow.yaml")
	if err := os.WriteFile(path, []byte(slowMachine), 0o666); err != nil {
		t.Fatal(err)
	}
	want, err := tuneOf(path, "--out", filepath.Join(t.TempDir(), "alone")).Output()
	if err != nil {
		t.Fatal(err)
	}
	return path, want
}

func tuneOf(path string, more ...string) *exec.Cmd {
	return exec.Command("fabricast", append(append([]string{"tune", path}, tuneWords...), more...)...)
}

// pointsIn returns the times of the points that are stored in a folder, by the names of their files.
func pointsIn(t *testing.T, folder string) map[string]int64 {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "points", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	times := map[string]int64{}
	for _, file := range files {
		about, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		times[filepath.Base(file)] = about.ModTime().UnixNano()
	}
	return times
}

// TestTuneShared: a tune takes the points of a sweep of the same experiments. After Ctrl-C it keeps what is done,
// another process goes on with it, and no point is run twice.
func TestTuneShared(t *testing.T) {
	path, want := tuneAlone(t)
	folder := filepath.Join(t.TempDir(), "out")
	axes := filepath.Join(filepath.Dir(path), "axes.yaml")
	text := "base: slow.yaml\naxes:\n- {field: workload.size, values: [4096B]}\n" +
		"- {field: workload.algorithm, values: [ring, pairwise]}\n"
	if err := os.WriteFile(axes, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := exec.Command("fabricast", "sweep", axes, "--out", folder).Run(); err != nil {
		t.Fatal(err)
	}
	swept := pointsIn(t, folder)
	if len(swept) != 2 {
		t.Fatalf("a sweep of two points stores %v", swept)
	}
	var log bytes.Buffer
	first := tuneOf(path, "--out", folder, "--workers", "1")
	first.Stderr = &log
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	for len(pointsIn(t, folder)) <= len(swept) {
		time.Sleep(10 * time.Millisecond)
	}
	second := tuneOf(path, "--out", folder, "--workers", "1")
	var printed bytes.Buffer
	second.Stdout = &printed
	if err := second.Start(); err != nil {
		t.Fatal(err)
	}
	signalled(t, first, os.Interrupt)
	if !strings.Contains(log.String(), "; the same command goes on from there") {
		t.Errorf("it says %s", &log)
	}
	if err := second.Wait(); err != nil || !bytes.Equal(printed.Bytes(), want) {
		t.Errorf("%v: found %s, expected %s", err, &printed, want)
	}
	done := pointsIn(t, folder)
	var result struct{ Run int }
	if err := json.Unmarshal(want, &result); err != nil || len(done) != result.Run {
		t.Errorf("%d points are stored, expected %d (%v)", len(done), result.Run, err)
	}
	again, err := tuneOf(path, "--out", folder).Output()
	if err != nil || !bytes.Equal(again, want) {
		t.Errorf("%v: the same command finds %s, expected %s", err, again, want)
	}
	for name, at := range pointsIn(t, folder) {
		if done[name] != at || swept[name] != 0 && swept[name] != at {
			t.Errorf("point %s was run again", name)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(folder, "points", "*.claim.*")); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// tuneOnSlurm runs a tune in jobs: whole, and after Ctrl-C, which ends the job and keeps what is done.
func (c *slurmCluster) tuneOnSlurm(t *testing.T) {
	path, want := tuneAlone(t)
	folder := filepath.Join(t.TempDir(), "out")
	tune := func() (*exec.Cmd, *bytes.Buffer) {
		cmd := tuneOf(path, "--launcher", "slurm", "--tasks", "2", "--out", folder)
		var log bytes.Buffer
		cmd.Env, cmd.Stderr = c.environment(), &log
		return cmd, &log
	}
	cmd, log := tune()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitForFile(t, filepath.Join(folder, "points", "*.json"))
	signalled(t, cmd, os.Interrupt)
	if !strings.Contains(log.String(), " is ended") {
		t.Errorf("it says %s", log)
	}
	c.until(t, "no job is left", func() bool { return c.run("squeue", "--noheader") == "" })
	kept := pointsIn(t, folder)
	cmd, log = tune()
	if got, err := cmd.Output(); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%v: %s\nfound %s, expected %s", err, log, got, want)
	}
	for name, at := range kept {
		if pointsIn(t, folder)[name] != at {
			t.Errorf("point %s was run again", name)
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "slurm", "job.json")); !os.IsNotExist(err) {
		t.Errorf("the job's file is there: %v", err)
	}
	c.until(t, "no job is left", func() bool { return c.run("squeue", "--noheader") == "" })
}

// TestPlaceInterrupted: Ctrl-C leaves the mappings that were run, and the best of them in the file.
func TestPlaceInterrupted(t *testing.T) {
	dir := t.TempDir()
	file, temp := filepath.Join(dir, "shuffled.yaml"), filepath.Join(dir, "temp")
	text := "network: {topology: {kind: torus, dims: [8, 8, 8]}}\nmapping: random\n" +
		"workload: {program: halo3d, size: 32KiB, iterations: 1}\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(temp, 0o777); err != nil {
		t.Fatal(err)
	}
	mapping := filepath.Join(dir, "better.txt")
	cmd := exec.Command("fabricast", "place", file, "--swaps", "1000", "--json", "--out", mapping, "--workers", "1")
	cmd.Env = append(os.Environ(), "TMPDIR="+temp)
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitForFile(t, filepath.Join(temp, "fabricast-*", "mapping.txt")) // its own mapping has been run
	signalled(t, cmd, os.Interrupt)
	var r struct {
		Hosts    []int
		Mappings []struct{ Start string }
	}
	if err := json.Unmarshal(out.Bytes(), &r); err != nil || len(r.Mappings) == 0 || len(r.Mappings) > 8 ||
		r.Mappings[0].Start != "own" || len(r.Hosts) != 512 {
		t.Errorf("%v: found %s", err, &out)
	}
	if !strings.Contains(log.String(), " of 9 mappings run") {
		t.Errorf("it says %s", &log)
	}
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("left %v", left)
	}
	check := exec.Command("fabricast", "check", file, "--set", "mapping=file:"+mapping)
	if log, err := check.CombinedOutput(); err != nil {
		t.Errorf("the file that is left: %v\n%s", err, log)
	}

	cmd = exec.Command("fabricast", "place", file, "--swaps", "100000000", "--out", mapping, "--workers", "1")
	cmd.Env = append(os.Environ(), "TMPDIR="+temp)
	log.Reset()
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitForFile(t, filepath.Join(temp, "fabricast-*", "run", "result.json")) // the messages are known
	signalled(t, cmd, os.Interrupt)
	const said = "interrupted while mappings were searched; none was run"
	if code := cmd.ProcessState.ExitCode(); code != ending.Interrupted || !strings.Contains(log.String(), said) {
		t.Errorf("exit code %d, it says %s", code, &log)
	}
}
