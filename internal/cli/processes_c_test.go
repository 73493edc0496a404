//go:build cgo && linux && (amd64 || arm64)

package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"fabricast/internal/draws"
	"fabricast/record"
)

// builtInC builds a C program of testdata/processes for the simulator.
func builtInC(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	compilers, err := wrappers()
	if err != nil {
		t.Fatal(err)
	}
	cc := exec.Command(filepath.Join(compilers, "mpicc"), "-g", "-w", "-o", path, name+".c")
	cc.Dir = filepath.Join("testdata", "processes")
	if log, err := cc.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cc, err, log)
	}
	return path
}

// outcome is the output, the log and the exit code of a run of a C program.
type outcome struct {
	out, log string
	code     int
}

func outcomeOf(t *testing.T, cmd *exec.Cmd, dir string) outcome {
	t.Helper()
	var out, log bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &log
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return outcome{out.String(), log.String(), cmd.ProcessState.ExitCode()}
}

// TestProcessesOfC checks that C programs with random operations print the same lines in the same
// order, and leave the same folder, in one process and in several.
func TestProcessesOfC(t *testing.T) {
	program := builtInC(t, "medley")
	someLauncher(t, func(t *testing.T, m mpirun) {
		d := drawsOfLauncher(t)
		for range often(1) {
			dir, text := t.TempDir(), drawShared(t, d)
			if err := os.WriteFile(filepath.Join(dir, "e.yaml"), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			n, workers, ranks := 2+d.IntN(3), strconv.Itoa(1+d.IntN(2)), strconv.Itoa(2+d.IntN(7))
			call := []string{"-n", ranks, "--", program, strconv.Itoa(d.IntN(1 << 30)), "40"}
			run := func(out string, flags ...string) []string {
				return append(append([]string{"run", "e.yaml", "--out", out, "--record", "trace"}, flags...), call...)
			}
			want := outcomeOf(t, exec.Command("fabricast", run("alone")...), dir)
			got := outcomeOf(t, m.command(dir, n, run("shared", "--workers", workers)...), dir)
			if want.code != 0 || got.code != 0 || got.out != want.out {
				t.Fatalf("%d processes of %s workers: exit codes %d and %d, output\n%s\nalone\n%s\n%v\n%s\n%s",
					n, workers, want.code, got.code, got.out, want.out, call, text, got.log)
			}
			alone, shared := folderOf(t, filepath.Join(dir, "alone")), folderOf(t, filepath.Join(dir, "shared"))
			delete(alone, record.ExperimentFile) // contains the folder's path
			for name := range alone {
				if !bytes.Equal(alone[name], shared[name]) {
					t.Errorf("%d processes of %s workers: %s is another\n%v\n%s", n, workers, name, call, text)
				}
			}
		}
	})
}

// TestProcessesOfCFail checks that failing C programs end with the exit code, the output and the
// message of a single process.
func TestProcessesOfCFail(t *testing.T) {
	program, dir := builtInC(t, "failures"), t.TempDir()
	eachLauncher(t, func(t *testing.T, m mpirun) {
		first := draws.Round() // a quarter of the cases per launcher, others in the next commit
		if m.name == mpiruns[0].name {
			first += 2
		}
		for i, way := range []string{
			"abort", "exit", "quit", "crash", "deadlock", "collectives", "roots", "types", "leaves", "unfinished",
		} {
			if (uint64(i)+first)%4 != 0 && !draws.Long() {
				continue
			}
			text := "network: {topology: {kind: torus, dims: [2, 2]}}\nranks: 4\nengine: {sync: " +
				[]string{"all", "neighbours"}[i/2%2] + "}\n"
			if err := os.WriteFile(filepath.Join(dir, "e.yaml"), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			want := outcomeOf(t, exec.Command("fabricast", "run", "e.yaml", "--", program, way), dir)
			n := 2 + i%3
			got := outcomeOf(t, m.command(dir, n, "run", "e.yaml", "--workers", "1", "--", program, way), dir)
			if got.out != want.out || got.code != want.code {
				t.Errorf(
					"%s in %d processes: exit code %d and\n%s\nexpected %d and\n%s",
					way,
					n,
					got.code,
					got.out,
					want.code,
					want.out,
				)
			}
			for line := range strings.Lines(want.log) {
				if strings.HasPrefix(line, "fabricast: ") && strings.Count(got.log, line) != 1 {
					t.Errorf("%s in %d processes: expected once %sfound\n%s", way, n, line, got.log)
				}
			}
			if !strings.Contains(want.log, "fabricast: ") {
				t.Error(fmt.Sprint(way, " goes well\n", want.log))
			}
		}
	})
}
