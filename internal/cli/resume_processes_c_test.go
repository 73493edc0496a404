//go:build cgo && linux && (amd64 || arm64)

package cli

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestProcessesResumeC ends a C program that uses every kind of communication, in one or two
// processes, by killing one process or by a signal to the launcher. Resumed in other numbers of
// processes, it must leave the folder, the output and the traces of an uninterrupted run. Output
// between a checkpoint and a kill is printed twice.
func TestProcessesResumeC(t *testing.T) {
	program := builtInC(t, "stopped")
	someLauncher(t, func(t *testing.T, m mpirun) {
		d := drawsOfLauncher(t)
		stops := 0
		for ran := 0; ran < often(1) || stops == 0 && ran < often(10); ran++ { // more if all ended by themselves
			dir := t.TempDir()
			one := func(words ...string) string { return words[d.IntN(len(words))] }
			text := "network: " + one(
				"{topology: {dims: [4, 4]}}", "{topology: {kind: dragonfly, p: 2, a: 4, h: 1}}",
				"{topology: {dims: [4, 4]}, routing: {algorithm: adaptive}, router: {vcs: 3}}",
			) + "\nnode: {nics: " + one("1", "2") +
				one("", ", protocol: {eager: 1KiB, rendezvous: read}") + "}\n" + drawRecording(d, false)
			if err := os.WriteFile(filepath.Join(dir, "e.yaml"), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			tail := []string{"-n", "16", "--", program, "40"}
			if d.IntN(2) == 0 {
				tail = append([]string{"--record", "trace,otf2"}, tail...)
			}
			killed := filepath.Join(dir, "killed")
			var want, got bytes.Buffer
			done(t, m, dir, 1, &want, append([]string{"run", "e.yaml", "--out", "whole"}, tail...)...)
			args := append([]string{
				"run", "e.yaml", "--out", killed, "--checkpoint", "sim:100us", "--blocks", "3",
			}, tail...)
			for stopped := 0; stopped < 3 && endedEarly(t, d, m, dir, &got, args); stopped++ {
				stops++
				args = []string{"resume", killed}
			}
			if _, err := os.Stat(filepath.Join(killed, "checkpoint.fbc")); err == nil {
				done(t, m, dir, 1+d.IntN(3), &got, args...)
			}
			sameResults(t, dir, text)
			if a, b := printed(got.String()), printed(want.String()); a != b {
				t.Errorf("%d bytes of output, want %d\n%s", len(a), len(b), text)
			}
		}
		if stops == 0 {
			t.Error("all runs had ended before they could be stopped")
		}
		t.Logf("%d stops", stops)
	})
}

// TestResumeJobsInC ends and resumes a run of several jobs, two of which are C programs.
func TestResumeJobsInC(t *testing.T) {
	program := builtInC(t, "stopped")
	someLauncher(t, func(t *testing.T, m mpirun) {
		d := drawsOfLauncher(t)
		stops := 0
		for ran := 0; stops == 0 && ran < 10; ran++ { // more if all ended by themselves
			stops = resumeJobs(t, d, m, program)
		}
		if stops == 0 {
			t.Error("all runs had ended before they could be stopped")
		}
		t.Logf("%d stops", stops)
	})
}

// resumeJobs runs several jobs, ends their run up to three times, and resumes it. It returns how often it
// was ended.
func resumeJobs(t *testing.T, d *rand.Rand, m mpirun, program string) (stops int) {
	dir := t.TempDir()
	text := "network: {topology: {dims: [4, 4]}}\njobs:\n" +
		"- {name: a, ranks: 6, command: [" + program + ", '160']}\n" +
		"- {name: b, ranks: 4, workload: {program: alltoall, size: 4KiB, iterations: 20}}\n" +
		"- {name: c, ranks: 5, command: [" + program + ", '120']}\n"
	if err := os.WriteFile(filepath.Join(dir, "e.yaml"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	killed := filepath.Join(dir, "killed")
	var want, got bytes.Buffer
	done(t, m, dir, 1, &want, "run", "e.yaml", "--out", "whole")
	args := []string{"run", "e.yaml", "--out", killed, "--checkpoint", "sim:100us", "--blocks", "3"}
	for ; stops < 3 && endedEarly(t, d, m, dir, &got, args); stops++ {
		args = []string{"resume", killed}
	}
	if _, err := os.Stat(filepath.Join(killed, "checkpoint.fbc")); err == nil {
		done(t, m, dir, 1+d.IntN(2), &got, args...)
	}
	sameResults(t, dir, text)
	if a, b := printed(got.String()), printed(want.String()); a != b {
		t.Errorf("%d bytes of output, want %d", len(a), len(b))
	}
	return stops
}

// printed returns the distinct lines that ranks have printed. A launcher may print further lines.
func printed(text string) string {
	var list []string
	for line := range strings.Lines(onceEach(text)) {
		if strings.HasPrefix(line, "rank ") {
			list = append(list, line)
		}
	}
	return strings.Join(list, "")
}
